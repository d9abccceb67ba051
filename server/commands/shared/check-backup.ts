import { readBackupAge } from '../../src/platform/backup/installation.ts'
import type { Config } from '../../src/platform/config/config.ts'
import type { Db } from '../../src/platform/database/db.ts'

/** Backups may be weekly, and one may be late by a day. */
const oldestSeconds = 8 * 86_400

/** Complains about an installation of more than a week whose last backup is older than that. */
export async function checkBackup(db: Db, { databaseUrl }: Config): Promise<string> {
  if (databaseUrl !== undefined) return 'the database in DATABASE_URL has backups of its own, see docs/backup.md'
  const { backupSeconds, installationSeconds } = await readBackupAge(db)
  const age = backupSeconds === null ? 'never made' : `${describeAge(backupSeconds)} ago`
  const advice = 'run daily: npx patchbay backup --to FOLDER'
  if ((backupSeconds ?? installationSeconds) > oldestSeconds) throw new Error(`${age}; ${advice}`)
  return backupSeconds === null ? `${age}; ${advice}` : age
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
