import { spawn } from 'node:child_process'
import { openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { mayPass } from '../connection-errors.ts'
import { OperatorError } from '../operator-error.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { databaseEnvironment, ensureCluster, folderAsSeenInside, superuser } from './cluster.ts'
import { findProcesses, lockFile, signal } from './processes.ts'
import { runAs } from './run-as.ts'
import { settings } from './settings.ts'
import { shortSocketFolder } from './socket.ts'

/** How the running database is reached; the fields are those of a `pg` client. */
type Connection = { host: string; user: string; database: string }

export type EmbeddedPostgres = {
  connection: Connection
  /** Returns once it takes connections; tells whether we had to start it. */
  ensureRunning: () => Promise<{ started: boolean }>
  /** `fast` ends the sessions of others, `smart` lets them finish. */
  stop: (how: 'fast' | 'smart') => Promise<void>
  [Symbol.dispose]: () => void
}

const readyWithinMs = 30_000
const stoppedWithinMs = 20_000

/** The database that lives in `folder`, running or not. */
export function embeddedPostgres(folder: string): EmbeddedPostgres {
  const socket = shortSocketFolder(folder)
  const connection = { host: socket.path, user: superuser, database: 'postgres' }
  return {
    connection,
    ensureRunning: () => ensureRunning(folder, connection),
    stop: (how) => stop(folder, how),
    [Symbol.dispose]: () => socket[Symbol.dispose](),
  }
}

/**
 * Everyone connects first, and whoever finds nothing starts it; of two who start at once,
 * PostgreSQL's own lock file lets one win and the other finds it on the next try. After a
 * kill of anything, what is left over is ended and the start goes through crash recovery.
 */
async function ensureRunning(folder: string, connection: Connection): Promise<{ started: boolean }> {
  const binaries = await findBinaries()
  await ensureCluster(binaries, folder)
  const deadline = performance.now() + readyWithinMs
  let starts = 0
  while (!(await takesConnections(connection))) {
    if (performance.now() > deadline) throw notReady(folder)
    if (!findProcesses(folder).postmaster) {
      if (starts > 0) await sleep(500) // it gave up at once; the reason may pass
      removeLeftovers(folder)
      start(binaries, folder)
      starts += 1
    }
    await sleep(50)
  }
  return { started: starts > 0 }
}

/** Asks by connecting, the only question whose answer counts. */
async function takesConnections(connection: Connection): Promise<boolean> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // a death between connect and end is found by the next question
  try {
    await client.connect()
    await client.end()
    return true
  } catch (error) {
    if (mayPass(error)) return false
    throw error
  }
}

/** Only called when no postmaster lives here: then no backend may, and the lock file is stale. */
function removeLeftovers(folder: string): void {
  for (const pid of findProcesses(folder).backends) signal(pid, 'SIGKILL')
  rmSync(lockFile(folder), { force: true })
}

/** Detached, so that Ctrl-C in our terminal never reaches it: we end it in our own time, after the last answer. */
function start(binaries: Binaries, folder: string): void {
  const output = openSync(startLog(folder), 'w', 0o600)
  const child = spawn(binaries.postgres, ['-D', folderAsSeenInside(folder), ...settings()], {
    ...runAs(),
    cwd: folder,
    env: databaseEnvironment,
    detached: true,
    stdio: ['ignore', output, output],
  })
  child.on('error', () => {}) // seen as "not ready", and told with the log when time is up
  child.unref()
}

function startLog(folder: string): string {
  return join(folder, '..', 'postgres-start.log')
}

function notReady(folder: string): OperatorError {
  let output = ''
  try {
    output = readFileSync(startLog(folder), 'utf8').trim().split('\n').slice(-3).join(' ')
  } catch {}
  return new OperatorError(
    `The embedded PostgreSQL in ${folder} did not become ready within ${readyWithinMs / 1000} s` +
      (output ? `; it said: ${output}` : `; its log is in ${join(folder, 'log')}.`),
  )
}

async function stop(folder: string, how: 'fast' | 'smart'): Promise<void> {
  const deadline = performance.now() + stoppedWithinMs
  for (let signalled = 0; ; await sleep(20)) {
    const { postmaster } = findProcesses(folder)
    if (!postmaster) return
    if (performance.now() > deadline) {
      if (how === 'smart') return // someone is still working; theirs to finish, and the postmaster ends after them
      signal(postmaster, 'SIGQUIT') // gives up waiting; the next start recovers
      return
    }
    if (signalled !== postmaster) signal(postmaster, how === 'fast' ? 'SIGINT' : 'SIGTERM')
    signalled = postmaster
  }
}
