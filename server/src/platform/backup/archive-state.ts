import { sql } from 'kysely'
import type { Db } from '../database/db.ts'

/** How the archiving of the write-ahead log goes. */
export type ArchiveState = {
  folder: string
  lastArchivedAt: Date | null
  /** Segments that are not archived yet, and how old the oldest of them is. */
  waiting: number
  waitingSeconds: number
  /** The segment that failed last, and when; set while it fails. */
  failing: string | null
  failingSince: Date | null
}

/** Returns undefined where nothing is archived. */
export async function readArchiveState(db: Db): Promise<ArchiveState | undefined> {
  const { rows } = await sql<ArchiveState>`
    select current_setting('basic_archive.archive_directory', true) as folder, a.last_archived_time as last_archived_at,
      w.waiting, w.waiting_seconds, case when f.is_failing then a.last_failed_wal end as failing,
      case when f.is_failing then a.last_failed_time end as failing_since
    from pg_stat_archiver a, lateral (
      select coalesce(a.last_failed_time > coalesce(a.last_archived_time, '-infinity'), false) as is_failing
    ) as f, (
      select count(*)::integer as waiting,
        coalesce(greatest(0, extract(epoch from now() - min(modification))), 0)::integer as waiting_seconds
      from pg_ls_archive_statusdir() where name like '%.ready'
    ) as w
    where current_setting('archive_mode') <> 'off'
  `.execute(db)
  return rows[0]
}
