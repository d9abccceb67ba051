import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BackupSchedule } from '../config/backup-schedule.ts'
import type { Db } from '../database/db.ts'
import type { Log } from '../log.ts'
import { noteBackupFailure, secondsToBackup } from './installation.ts'

const usualTimes = {
  /** How often the time of the last backup is looked at: somebody may have made one by hand. */
  lookEveryMs: 5_000,
  /** The pause after a failure, which the next backup may not have. */
  retrySeconds: 600,
}

type Options = {
  db: Db
  log: Log
  schedule: BackupSchedule
  /** The `patchbay` command. */
  program: string
  times?: typeof usualTimes
}

/**
 * Makes backups when they are due, in a process of its own: checksums of a whole database would delay requests. What a
 * failed one leaves is what was there before; it is tried again after ten minutes.
 */
export function startScheduledBackups({ db, log, schedule, program, times = usualTimes }: Options): AsyncDisposable {
  const { lookEveryMs, retrySeconds } = times
  const stopping = new AbortController()
  let failedAt: number | undefined // of a failure that the database could not be told
  const ended = keepBackingUp()

  async function keepBackingUp(): Promise<void> {
    const every = { everySeconds: schedule.everySeconds, retrySeconds }
    while (!stopping.signal.aborted) {
      // A database that is gone is waited for; the rest of the server says so.
      const seconds = await secondsToBackup(db, every).catch(() => Number.POSITIVE_INFINITY)
      const isWaiting = failedAt !== undefined && performance.now() - failedAt < retrySeconds * 1_000
      if (seconds <= 0 && !isWaiting) await backUp()
      await sleep(lookEveryMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {}) // it stops
    }
  }

  async function backUp(): Promise<void> {
    const made = await runBackup(program, schedule, stopping.signal).catch(
      (error): BackupResult => ({ failure: error instanceof Error ? error.message : String(error) }),
    )
    failedAt = undefined
    if (stopping.signal.aborted) return // it was cut off, and leaves nothing
    if (made.failure === undefined) return log.info(made.facts, 'a backup was made')
    log.error({ to: schedule.to, reason: made.failure }, 'the backup failed')
    await noteBackupFailure(db, made.failure).catch((err) => {
      failedAt = performance.now()
      log.error({ err }, 'the failure of the backup could not be noted')
    })
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await ended
    },
  }
}

type BackupResult = { failure: string } | { failure: undefined; facts: Record<string, unknown> }

async function runBackup(program: string, { to, keep }: BackupSchedule, signal: AbortSignal): Promise<BackupResult> {
  const args = [program, 'backup', '--to', to, '--keep', String(keep), '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], signal, killSignal: 'SIGTERM' })
  const exited = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, killedBy) => resolve(code === 0 ? undefined : `it ended by ${killedBy ?? code}`))
  })
  if (child.pid !== undefined) yieldTo(child.pid)
  const [printed, said, ending] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  const document = readDocument(printed)
  if (ending === undefined && document) {
    const { backup, sizeBytes, tookSeconds, removed } = document
    return { failure: undefined, facts: { backup, sizeBytes, tookSeconds, removed } }
  }
  return { failure: document?.error?.message ?? sentenceIn(said) ?? ending ?? 'it ended without saying what it made' }
}

type Document = Record<string, unknown> & { error?: { message?: string } }

/** What the command printed; undefined when it ended before, or printed something else. */
function readDocument(printed: string): Document | undefined {
  try {
    return JSON.parse(printed) ?? undefined
  } catch {
    return undefined
  }
}

/** Node prints first where an error that nobody caught is, and the line there. */
function sentenceIn(said: string): string | undefined {
  const lines = said.split('\n').map((line) => line.trim())
  return lines.find((line) => /^\w*Error\b.*: /.test(line)) ?? lines.find((line) => line !== '')
}

/** Requests go first. */
function yieldTo(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system does not allow it.
  }
}
