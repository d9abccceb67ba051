import { OperatorError } from '../operator-error.ts'
import { readFolderOutside, readInteger } from './read-value.ts'

/** Backups that the server makes by itself. */
export type BackupSchedule = Readonly<{ to: string; everySeconds: number; keep: number }>

const unitSeconds: Record<string, number> = { m: 60, h: 3_600, d: 86_400 }
const leastSeconds = 10 * 60
const mostSeconds = 31 * 86_400

/** Returns undefined without BACKUP_TO: then nobody backs up but whoever runs `patchbay backup`. */
export function readBackupSchedule(
  read: (name: string) => string | undefined,
  dataDir: string,
  databaseUrl: string | undefined,
): BackupSchedule | undefined {
  const everySeconds = readEvery(read('BACKUP_EVERY') ?? '24h')
  const keep = readInteger('BACKUP_KEEP', read('BACKUP_KEEP') ?? '7', { from: 1, to: 10_000 })
  const given = read('BACKUP_TO')
  if (given === undefined) return undefined
  if (databaseUrl !== undefined) {
    throw new OperatorError(
      'BACKUP_TO is for the embedded database, and DATABASE_URL is set; unset BACKUP_TO, and see docs/backup.md for the tools of PostgreSQL.',
    )
  }
  return { to: readFolderOutside('BACKUP_TO', given, dataDir), everySeconds, keep }
}

function readEvery(text: string): number {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const seconds = Number(count) * (unitSeconds[unit] ?? Number.NaN)
  if (seconds >= leastSeconds && seconds <= mostSeconds) return seconds
  throw new OperatorError(`BACKUP_EVERY must be a time from 10m to 31d, such as 6h or 1d; it is "${text}".`)
}

/** Writes a time as it could be set: `6h`. */
export function sayEvery(seconds: number): string {
  const [unit, length] = Object.entries(unitSeconds).findLast(([, length]) => seconds % length === 0) ?? ['m', 60]
  return `${seconds / length}${unit}`
}
