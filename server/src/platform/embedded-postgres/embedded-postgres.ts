/*
 * Runs the PostgreSQL that comes with `npm ci`, one per data folder, started and stopped by Patchbay itself:
 * `cluster.ts` creates the data folder, `start.ts` starts it under a file lock that keeps a second PostgreSQL out, and
 * `waiting.ts` says what a start waits for, and for how long it may.
 */

import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { isTransientConnectionError } from '../database/errors.ts'
import { cannotWrite } from '../files.ts'
import { findBinaries } from './binaries.ts'
import { superuser } from './cluster.ts'
import { findProcesses, isStopping, signal } from './processes.ts'
import type { Settings } from './settings.ts'
import { mostStarts, notReady, type StartState, startUnlessLocked } from './start.ts'
import { openWaiting, type State } from './waiting.ts'

/** How to connect to the running database; the fields are those of a `pg` client. */
type Connection = { host: string; user: string; database: string }

export type EmbeddedPostgres = {
  connection: Connection
  /** Returns once it accepts connections; `started`: whether this call has started it. */
  ensureRunning: () => Promise<{ started: boolean }>
  /** `fast` ends other sessions, `smart` lets them finish. */
  stop: (how: 'fast' | 'smart') => Promise<void>
  /** Returns when somebody has told it to stop, or when `ended` is aborted. */
  untilStopping: (ended: AbortSignal) => Promise<void>
  [Symbol.dispose]: () => void
}

const usualPatienceMs = 30_000
const stoppedWithinMs = 20_000

type StartOptions = {
  /** The settings beside the usual ones. */
  settings?: Settings
  /** Does not try again when it cannot start. */
  isRestoring?: boolean
  /** What a server does: one that is stopping is ended, without waiting for its sessions, and started again. */
  endsStopping?: boolean
  /** Is told every ten seconds what is waited for. */
  onWait?: (reason: string) => void
  /** How long it waits while PostgreSQL makes no progress. */
  patienceMs?: number
}

/** The database in `folder`, running or not. */
export function embeddedPostgres(folder: string, options: StartOptions = {}): EmbeddedPostgres {
  const socket = shortSocketFolder(folder)
  const connection = { host: socket.path, user: superuser, database: 'postgres' }
  return {
    connection,
    ensureRunning: () => ensureRunning(folder, connection, options),
    stop: (how) => stop(folder, how),
    untilStopping: (ended) => untilStopping(folder, ended),
    [Symbol.dispose]: () => socket[Symbol.dispose](),
  }
}

/**
 * Every server and command connects first, and starts the database if nothing listens; of two that start it at once,
 * one gets the folder's lock, and the other connects on its next try. After a kill of any process, the processes that
 * are left are ended and the start goes through crash recovery, which is waited for however long it takes.
 */
async function ensureRunning(
  folder: string,
  connection: Connection,
  {
    settings,
    isRestoring = false,
    endsStopping = false,
    onWait = () => {},
    patienceMs = usualPatienceMs,
  }: StartOptions,
): Promise<{ started: boolean }> {
  const starting: StartState = {
    binaries: await findBinaries(),
    settings,
    starts: 0,
    isLockedByAnother: false,
    failureReason: () => '',
  }
  using waiting = openWaiting(folder, { onWait, patienceMs })
  for (;;) {
    const state = await probe(folder, connection, patienceMs)
    if (state === 'ready') return { started: starting.starts > 0 }
    if (state === 'stopping' && endsStopping) {
      await stop(folder, 'fast')
      waiting.noteProgress()
      continue
    }
    const isDown = state === 'down' && !findProcesses(folder).postmaster
    if (!isDown) starting.isLockedByAnother = false // the one who had the lock has started it
    waiting.look(state, starting.isLockedByAnother)
    if (waiting.isOver() || (isDown && starting.starts === (isRestoring ? 1 : mostStarts)))
      throw notReady(folder, starting, waiting)
    if (isDown && (await startUnlessLocked(folder, starting))) waiting.noteProgress()
    await sleep(50)
  }
}

/** Probes by connecting: only that shows that the database accepts connections. */
async function probe(folder: string, connection: Connection, answersWithinMs: number): Promise<State> {
  const client = new Client({ ...connection, connectionTimeoutMillis: answersWithinMs })
  client.on('error', () => {}) // a crash between connect and end is found by the next probe
  try {
    await client.connect()
    await client.end()
    return 'ready'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EACCES') throw cannotWrite(`to the database in ${folder}`, error)
    if (code === 'ENOTDIR') return 'down' // a file is where the folder should be, which the start says
    if (!isTransientConnectionError(error)) throw error
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'down'
    // It gives this while it starts and recovers too, which must never be cut short: only its own file says which.
    if (code === '57P03') return isStopping(folder) ? 'stopping' : 'starting'
    return code === '53300' ? 'full' : 'silent'
  }
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

/** How often a server looks whether its database was told to stop. */
const lookEveryMs = 500

/**
 * A smart shutdown, which SIGTERM asks for, lets no session in and ends none: without a look from outside, the sessions
 * of a server that runs would keep it in that state for ever.
 */
async function untilStopping(folder: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted && !isStopping(folder)) await sleep(lookEveryMs, undefined, { ref: false })
}

/** Paths of Unix sockets are limited to 108 bytes on Linux and 104 on macOS. */
const longestSocketPath = 100

/** A path of `folder` that is short enough to connect through: itself, or a link to it in a private folder. */
function shortSocketFolder(folder: string): Disposable & { path: string } {
  if (Buffer.byteLength(join(folder, '.s.PGSQL.5432')) <= longestSocketPath) {
    return { path: folder, [Symbol.dispose]: () => {} }
  }
  const temporary = mkdtempSync('/tmp/patchbay-')
  const link = join(temporary, 'socket')
  symlinkSync(folder, link)
  return { path: link, [Symbol.dispose]: () => rmSync(temporary, { recursive: true, force: true }) }
}
