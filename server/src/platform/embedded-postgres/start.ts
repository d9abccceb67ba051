import { spawn } from 'node:child_process'
import { closeSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FileLock, tryFileLock } from '../file-lock.ts'
import { openDataFolder } from '../files.ts'
import { OperatorError } from '../operator-error.ts'
import type { Binaries } from './binaries.ts'
import { databaseEnvironment, ensureCluster, folderAsSeenInside } from './cluster.ts'
import { findProcesses, signal } from './processes.ts'
import { runAs } from './run-as.ts'
import { type Settings, settings } from './settings.ts'
import { openStartReport } from './start-report.ts'
import type { Wait } from './waiting.ts'

/** After so many starts that failed at once, it gives up. */
export const mostStarts = 8

export type StartState = {
  binaries: Binaries
  settings: Settings | undefined
  starts: number
  /** Another process holds the folder's lock, and its database does not answer. */
  isLockedByAnother: boolean
  failureReason: () => string
}

/**
 * The lock on this file is the exclusive right to run a PostgreSQL in the folder beside it. The PostgreSQL that is
 * started and all its processes inherit the open file, so the lock lasts until the last of them has ended.
 */
export function lockPath(folder: string): string {
  return join(folder, '..', 'postgres.lock')
}

/** Returns whether it was started. */
export async function startUnlessLocked(folder: string, starting: StartState): Promise<boolean> {
  // Backends without a postmaster are left over from a kill, and still hold the lock.
  for (const pid of findProcesses(folder).backends) signal(pid, 'SIGKILL')
  await openDataFolder(dirname(folder))
  using lock = await tryFileLock(lockPath(folder))
  starting.isLockedByAnother = lock === undefined
  if (!lock) return false
  if (starting.starts > 0) await sleep(500) // the last start failed at once; the reason may be transient
  await ensureCluster(starting.binaries, folder, { isAlone: lock.file !== undefined })
  // With the lock, no PostgreSQL runs here: these files are stale, even if some process has the ids in them now.
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) rmSync(join(folder, name), { force: true })
  start(folder, starting, lock)
  starting.starts += 1
  return true
}

/** Starts it detached: Ctrl-C in our terminal does not reach it, and we stop it ourselves, after the last answer. */
function start(folder: string, starting: StartState, lock: FileLock): void {
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

export function notReady(
  folder: string,
  { isLockedByAnother, failureReason }: StartState,
  waiting: Wait,
): OperatorError {
  if (isLockedByAnother) {
    return new OperatorError(
      `Another process holds ${lockPath(folder)} and its PostgreSQL does not answer here: ` +
        'a restore that is still running, or a container or a machine that has the same volume. Wait for the restore, ' +
        'stop the other one, or set another DATA_DIR.',
    )
  }
  const name = `The embedded PostgreSQL in ${folder} did not become ready`
  if (waiting.isOver()) return new OperatorError(`${name}, and nothing more happens: ${waiting.describe()}.`)
  const reason = failureReason()
  return new OperatorError(name + (reason ? `; it said: ${reason}` : `; its log is in ${join(folder, 'log')}.`))
}
