import { sql } from 'kysely'
import { type Db, nameOfWork } from '../database/db.ts'

/** Whether a process does background work on this database: each has connections of this name, and polls every second. */
export async function hasWorker(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and application_name = ${nameOfWork} limit 1
  `.execute(db)
  return rows.length > 0
}
