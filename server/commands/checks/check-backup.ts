import { join } from 'node:path'
import { readArchiveState } from '../../src/platform/backup/archive-state.ts'
import { readBackupAge, readBackupFailure } from '../../src/platform/backup/installation.ts'
import type { Config } from '../../src/platform/config/config.ts'
import type { Db } from '../../src/platform/database/db.ts'

/** Backups may be weekly, and one may be late by a day. */
const oldestSeconds = 8 * 86_400

/** Complains about an installation of more than a week whose last backup is older than that. */
export async function checkBackup(db: Db, { databaseUrl }: Config): Promise<string> {
  if (databaseUrl !== undefined) return 'the database in DATABASE_URL has backups of its own, see docs/backup.md'
  const { backupFailedAt, backupFailure } = await readBackupFailure(db)
  if (backupFailedAt) throw new Error(`failed at ${backupFailedAt.toISOString()}: ${backupFailure}`)
  const { backupSeconds, installationSeconds } = await readBackupAge(db)
  const age = backupSeconds === null ? 'never made' : `${describeAge(backupSeconds)} ago`
  const advice = 'set BACKUP_TO, or run daily: npx patchbay backup --to FOLDER'
  if ((backupSeconds ?? installationSeconds) > oldestSeconds) throw new Error(`${age}; ${advice}`)
  return backupSeconds === null ? `${age}; ${advice}` : age
}

/** A segment is archived within a minute; a busy disk may take a few. */
const longestWaitSeconds = 300

/** Complains when segments are not archived, or not in time. */
export async function checkArchive(db: Db, { databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl !== undefined) return 'see the check of the backup'
  const state = await readArchiveState(db)
  if (!state) return 'off, so a restore goes back to the last backup; ARCHIVE_DIR switches it on'
  const { folder, waiting, waitingSeconds, failing, failingSince } = state
  if (failing !== null) {
    throw new Error(
      `${failing} could not be copied to ${folder} at ${failingSince?.toISOString()}; the reason is in ${join(dataDir, 'postgres/log')}, and the disk of the database fills up until it is mended`,
    )
  }
  if (waitingSeconds <= longestWaitSeconds) return `to ${folder}, ${waiting} segments to go`
  throw new Error(`${waiting} segments wait for up to ${describeAge(waitingSeconds)}; is ${folder} on a slow disk?`)
}

const units: [name: string, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

function describeAge(seconds: number): string {
  const [name, length] = units.find(([, length]) => seconds >= 2 * length) ?? ['second', 1]
  const count = Math.floor(seconds / length)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
