import { spawn } from 'node:child_process'
import { closeSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { isTransientConnectionError } from '../database/connection-errors.ts'
import { OperatorError } from '../operator-error.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { databaseEnvironment, ensureCluster, folderAsSeenInside, superuser } from './cluster.ts'
import { type FolderLock, lockPath, tryFolderLock } from './folder-lock.ts'
import { findProcesses, signal } from './processes.ts'
import { runAs } from './run-as.ts'
import { settings } from './settings.ts'
import { shortSocketFolder } from './socket.ts'
import { openStartReport } from './start-report.ts'

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
/** After a crash it goes through its log first; as long as it says so, it is on its way. */
const recoveredWithinMs = 600_000
const stoppedWithinMs = 20_000
/** One that gives up at once so many times will do so for ever. */
const mostStarts = 8

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

type Starting = {
  binaries: Binaries
  starts: number
  /** Somebody else has the right to run it, and does not answer. */
  isHeld: boolean
  words: () => string
}

/**
 * Everyone connects first, and whoever finds nothing starts it; of two who start at once, the folder's lock lets one,
 * and the other finds it on the next try. After a kill of anything, what is left over is ended and the start goes
 * through crash recovery.
 */
async function ensureRunning(folder: string, connection: Connection): Promise<{ started: boolean }> {
  const starting: Starting = { binaries: await findBinaries(), starts: 0, isHeld: false, words: () => '' }
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
  const latest = performance.now() + recoveredWithinMs
  let deadline = performance.now() + readyWithinMs
  for (;;) {
    const answer = await ask(connection)
    if (answer === 'ready') return { started: starting.starts > 0 }
    if (answer === 'starting') deadline = Math.min(performance.now() + readyWithinMs, latest)
    const isGone = answer === 'nobody' && !findProcesses(folder).postmaster
    if (performance.now() > deadline || (isGone && starting.starts === mostStarts)) throw notReady(folder, starting)
    if (isGone) await startUnlessHeld(folder, starting)
    await sleep(50)
  }
}

/** Asks by connecting, the only question whose answer counts. */
async function ask(connection: Connection): Promise<'ready' | 'starting' | 'busy' | 'nobody'> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // a death between connect and end is found by the next question
  try {
    await client.connect()
    await client.end()
    return 'ready'
  } catch (error) {
    if (!isTransientConnectionError(error)) throw error
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'nobody'
    return code === '57P03' ? 'starting' : 'busy'
  }
}

async function startUnlessHeld(folder: string, starting: Starting): Promise<void> {
  // Without a postmaster they only keep the lock from us.
  for (const pid of findProcesses(folder).backends) signal(pid, 'SIGKILL')
  using lock = await tryFolderLock(folder)
  starting.isHeld = lock === undefined
  if (!lock) return
  if (starting.starts > 0) await sleep(500) // it gave up at once; the reason may pass
  await ensureCluster(starting.binaries, folder, { isAlone: lock.file !== undefined })
  // Nobody runs here, so whatever process or thread now has the numbers in them, they are stale.
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) rmSync(join(folder, name), { force: true })
  start(folder, starting, lock)
  starting.starts += 1
}

/** Detached, so that Ctrl-C in our terminal never reaches it: we end it in our own time, after the last answer. */
function start(folder: string, starting: Starting, lock: FolderLock): void {
  const report = openStartReport(folder)
  const child = spawn(starting.binaries.postgres, ['-D', folderAsSeenInside(folder), ...settings()], {
    ...runAs(),
    cwd: folder,
    env: databaseEnvironment,
    detached: true,
    stdio: ['ignore', report.output, report.output, lock.file ?? 'ignore'],
  })
  starting.words = report.words
  child.on('error', (error) => (starting.words = () => error.message)) // it could not even be begun
  child.unref()
  closeSync(report.output)
}

function notReady(folder: string, { isHeld, words }: Starting): OperatorError {
  if (isHeld) {
    return new OperatorError(
      `Another process holds ${lockPath(folder)} and its PostgreSQL does not answer here: ` +
        'a container or a machine that has the same volume, most likely. Stop that one, or set another DATA_DIR.',
    )
  }
  const said = words()
  return new OperatorError(
    `The embedded PostgreSQL in ${folder} did not become ready` +
      (said ? `; it said: ${said}` : `; its log is in ${join(folder, 'log')}.`),
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
