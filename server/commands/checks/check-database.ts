import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../../src/platform/config/config.ts'
import type { Db } from '../../src/platform/database/db.ts'
import { checkDatabase } from '../../src/platform/database-setup/check-database.ts'
import { migrationsBehind } from '../../src/platform/database-setup/migrate.ts'
import { lockPath } from '../../src/platform/embedded-postgres/start.ts'
import { tryFileLock } from '../../src/platform/file-lock.ts'

/** While PostgreSQL runs, its lock cannot be taken; if it can, file locks do not work on this machine. */
export async function describeEmbedded({ dataDir }: Config): Promise<string> {
  using lock = await tryFileLock(lockPath(join(dataDir, 'postgres')))
  if (!lock) return 'the embedded PostgreSQL responds'
  return 'the embedded PostgreSQL responds; the command flock is missing, so a second PostgreSQL on the same volume is not prevented'
}

export async function checkDurability(db: Db, { databaseUrl }: Config): Promise<string> {
  await checkDatabase(db, databaseUrl === undefined ? 'embedded' : 'shared')
  return 'acknowledged writes are on disk'
}

export async function checkMigrations(db: Db): Promise<string> {
  const behind = await migrationsBehind(db)
  if (behind > 0) throw new Error(`${behind} migrations are missing; restart the server`)
  return 'the schema is up to date'
}

const largestClockGapMs = 2_000

export async function checkClock(db: Db): Promise<string> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const gapMs = Math.abs(Date.now() - (rows[0]?.now.getTime() ?? 0))
  if (gapMs > largestClockGapMs)
    throw new Error(`differs from the database's by ${gapMs} ms; synchronise both with NTP`)
  return 'agrees with the database'
}
