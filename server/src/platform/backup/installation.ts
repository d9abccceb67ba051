import { sql } from 'kysely'
import type { Db } from '../database/db.ts'

export type DatabaseFacts = {
  now: Date
  postgresMajor: number
  walSegmentBytes: number
  archiveFolder: string | null
}

export async function readDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const { rows } = await sql<DatabaseFacts>`
    select clock_timestamp() as now, current_setting('server_version_num')::integer / 10000 as postgres_major,
      pg_size_bytes(current_setting('wal_segment_size'))::integer as wal_segment_bytes,
      nullif(current_setting('basic_archive.archive_directory', true), '') as archive_folder
  `.execute(db)
  const [facts] = rows
  if (!facts) throw new Error('PostgreSQL returned no row')
  return facts
}

/** Notes a backup, also back in time: what a clock noted that was ahead does not stay. Ends what failed before. */
export async function noteBackup(db: Db, endedAt: string): Promise<void> {
  await sql`
    update installation set backed_up_at = ${endedAt}::timestamptz, backup_failed_at = null, backup_failure = null
  `.execute(db)
}

export async function noteBackupFailure(db: Db, reason: string): Promise<void> {
  await sql`update installation set backup_failed_at = now(), backup_failure = ${reason}`.execute(db)
}

export type BackupFailure = { backupFailedAt: Date | null; backupFailure: string | null }

/** The last scheduled backup that could not be made; nulls once one was made. */
export async function readBackupFailure(db: Db): Promise<BackupFailure> {
  const found = await db.selectFrom('installation').select(['backupFailedAt', 'backupFailure']).executeTakeFirst()
  return found ?? { backupFailedAt: null, backupFailure: null }
}

/**
 * The seconds until the next backup is due, by however the last one was made; not positive: now. A time in the future
 * says only that the clock was ahead: to wait for it could mean years without a backup.
 */
export async function secondsToBackup(
  db: Db,
  { everySeconds, retrySeconds }: { everySeconds: number; retrySeconds: number },
): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from greatest(
      case when backed_up_at <= now() then backed_up_at + ${everySeconds} * interval '1 second' else now() end,
      case when backup_failed_at <= now() then backup_failed_at + ${retrySeconds} * interval '1 second' else now() end
    ) - now())::float8 as seconds
    from installation
  `.execute(db)
  return rows[0]?.seconds ?? Number.POSITIVE_INFINITY
}

export async function readLastBackup(db: Db): Promise<Date | null> {
  const found = await db.selectFrom('installation').select('backedUpAt').executeTakeFirst()
  return found?.backedUpAt ?? null
}

/** The time of the last transaction that was replayed from the write-ahead log; null when there was none. */
export async function readLastTransaction(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`select pg_last_xact_replay_timestamp() as at`.execute(db)
  return rows[0]?.at ?? null
}

/** Since when this copy does no background work; null when it does. */
export async function readWorkPause(db: Db): Promise<Date | null> {
  const found = await db.selectFrom('installation').select('workPausedAt').executeTakeFirst()
  return found?.workPausedAt ?? null
}

export async function pauseWork(db: Db): Promise<void> {
  await sql`update installation set work_paused_at = now()`.execute(db)
}

/** Returns whether it was paused. */
export async function resumeWork(db: Db): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update installation set work_paused_at = null where work_paused_at is not null
  `.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}

/** The age in seconds of the last backup, null when there is none, and of the installation. */
export async function readBackupAge(db: Db): Promise<{ backupSeconds: number | null; installationSeconds: number }> {
  const { rows } = await sql<{ backupSeconds: number | null; installationSeconds: number }>`
    select case when backed_up_at is not null then greatest(0, extract(epoch from now() - backed_up_at)) end::integer
        as backup_seconds,
      greatest(0, extract(epoch from now() - created_at))::integer as installation_seconds
    from installation
  `.execute(db)
  return rows[0] ?? { backupSeconds: null, installationSeconds: 0 }
}
