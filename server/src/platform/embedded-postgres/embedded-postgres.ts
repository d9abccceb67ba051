/*
 * Runs the PostgreSQL that comes with `npm ci`, one per data folder, started and stopped by Patchbay itself:
 * `cluster.ts` creates the data folder, a file lock keeps a second PostgreSQL out of it.
 */

import { spawn } from 'node:child_process'
import { closeSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { isTransientConnectionError } from '../database/connection-errors.ts'
import { type FileLock, tryFileLock } from '../file-lock.ts'
import { OperatorError } from '../operator-error.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { databaseEnvironment, ensureCluster, folderAsSeenInside, superuser } from './cluster.ts'
import { findProcesses, signal } from './processes.ts'
import { runAs } from './run-as.ts'
import { type Settings, settings } from './settings.ts'
import { shortSocketFolder } from './socket.ts'
import { openStartReport } from './start-report.ts'

/** How to connect to the running database; the fields are those of a `pg` client. */
type Connection = { host: string; user: string; database: string }

export type EmbeddedPostgres = {
  connection: Connection
  /** Returns once it accepts connections; `started`: whether this call has started it. */
  ensureRunning: () => Promise<{ started: boolean }>
  /** `fast` ends other sessions, `smart` lets them finish. */
  stop: (how: 'fast' | 'smart') => Promise<void>
  [Symbol.dispose]: () => void
}

const readyWithinMs = 30_000
/** After a crash it replays its write-ahead log first; while it reports that, the deadline is extended up to this. */
const recoveredWithinMs = 600_000
const stoppedWithinMs = 20_000
/** After so many starts that failed at once, it gives up. */
const mostStarts = 8

export type StartOptions = {
  /** Beside the usual ones. */
  settings?: Settings
  /** Has no limit on the time that it replays its log, and does not try again when it cannot. */
  isRestoring?: boolean
}

/** The database in `folder`, running or not. */
export function embeddedPostgres(folder: string, options: StartOptions = {}): EmbeddedPostgres {
  const socket = shortSocketFolder(folder)
  const connection = { host: socket.path, user: superuser, database: 'postgres' }
  return {
    connection,
    ensureRunning: () => ensureRunning(folder, connection, options),
    stop: (how) => stop(folder, how),
    [Symbol.dispose]: () => socket[Symbol.dispose](),
  }
}

type Starting = {
  binaries: Binaries
  settings: Settings | undefined
  starts: number
  /** Another process holds the folder's lock, and its database does not answer. */
  isLockedByAnother: boolean
  failureReason: () => string
}

/**
 * Every server and command connects first, and starts the database if nothing listens; of two that start it at once,
 * one gets the folder's lock, and the other connects on its next try. After a kill of any process, the processes that
 * are left are ended and the start goes through crash recovery.
 */
async function ensureRunning(
  folder: string,
  connection: Connection,
  { settings, isRestoring = false }: StartOptions,
): Promise<{ started: boolean }> {
  const starting: Starting = {
    binaries: await findBinaries(),
    settings,
    starts: 0,
    isLockedByAnother: false,
    failureReason: () => '',
  }
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
  const latestDeadline = performance.now() + (isRestoring ? Number.POSITIVE_INFINITY : recoveredWithinMs)
  let deadline = performance.now() + readyWithinMs
  for (;;) {
    const state = await probe(connection)
    if (state === 'ready') return { started: starting.starts > 0 }
    if (state === 'starting') deadline = Math.min(performance.now() + readyWithinMs, latestDeadline)
    const isDown = state === 'down' && !findProcesses(folder).postmaster
    if (performance.now() > deadline || (isDown && starting.starts === (isRestoring ? 1 : mostStarts)))
      throw notReady(folder, starting)
    if (isDown) await startUnlessLocked(folder, starting)
    await sleep(50)
  }
}

/** Probes by connecting: only that shows that the database accepts connections. */
async function probe(connection: Connection): Promise<'ready' | 'starting' | 'busy' | 'down'> {
  const client = new Client({ ...connection, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // a crash between connect and end is found by the next probe
  try {
    await client.connect()
    await client.end()
    return 'ready'
  } catch (error) {
    if (!isTransientConnectionError(error)) throw error
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'down'
    return code === '57P03' ? 'starting' : 'busy'
  }
}

/**
 * The lock on this file is the exclusive right to run a PostgreSQL in the folder beside it. The PostgreSQL that is
 * started and all its processes inherit the open file, so the lock lasts until the last of them has ended.
 */
export function lockPath(folder: string): string {
  return join(folder, '..', 'postgres.lock')
}

async function startUnlessLocked(folder: string, starting: Starting): Promise<void> {
  // Backends without a postmaster are left over from a kill, and still hold the lock.
  for (const pid of findProcesses(folder).backends) signal(pid, 'SIGKILL')
  using lock = await tryFileLock(lockPath(folder))
  starting.isLockedByAnother = lock === undefined
  if (!lock) return
  if (starting.starts > 0) await sleep(500) // the last start failed at once; the reason may be transient
  await ensureCluster(starting.binaries, folder, { isAlone: lock.file !== undefined })
  // With the lock, no PostgreSQL runs here: these files are stale, even if some process has the ids in them now.
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) rmSync(join(folder, name), { force: true })
  start(folder, starting, lock)
  starting.starts += 1
}

/** Detached, so that Ctrl-C in our terminal does not reach it: we stop it ourselves, after the last answer. */
function start(folder: string, starting: Starting, lock: FileLock): void {
  const report = openStartReport(folder)
  const child = spawn(starting.binaries.postgres, ['-D', folderAsSeenInside(folder), ...settings(starting.settings)], {
    ...runAs(),
    cwd: folder,
    env: databaseEnvironment,
    detached: true,
    stdio: ['ignore', report.output, report.output, lock.file ?? 'ignore'],
  })
  starting.failureReason = report.failureReason
  child.on('error', (error) => (starting.failureReason = () => error.message)) // the process could not be started
  child.unref()
  closeSync(report.output)
}

function notReady(folder: string, { isLockedByAnother, failureReason }: Starting): OperatorError {
  if (isLockedByAnother) {
    return new OperatorError(
      `Another process holds ${lockPath(folder)} and its PostgreSQL does not answer here: ` +
        'a container or a machine that has the same volume, most likely. Stop that one, or set another DATA_DIR.',
    )
  }
  const reason = failureReason()
  return new OperatorError(
    `The embedded PostgreSQL in ${folder} did not become ready` +
      (reason ? `; it said: ${reason}` : `; its log is in ${join(folder, 'log')}.`),
  )
}

async function stop(folder: string, how: 'fast' | 'smart'): Promise<void> {
  const deadline = performance.now() + stoppedWithinMs
  for (let signalled = 0; ; await sleep(20)) {
    const { postmaster } = findProcesses(folder)
    if (!postmaster) return
    if (performance.now() > deadline) {
      if (how === 'smart') return // other sessions still run; the postmaster ends after the last of them
      signal(postmaster, 'SIGQUIT') // ends without a checkpoint; the next start recovers
      return
    }
    if (signalled !== postmaster) signal(postmaster, how === 'fast' ? 'SIGINT' : 'SIGTERM')
    signalled = postmaster
  }
}
