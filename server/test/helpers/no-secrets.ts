import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/database/db.ts'

/** The prefix of every signing secret. */
const mark = 'whsec_'

/** Fails when a signing secret is in clear text in any row of the database or any line of the log. */
export async function assertNoSecrets(db: Db, log: string[]): Promise<void> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()
  `.execute(db)
  const searches = tables.map(
    ({ name }) => sql`select ${name} as name from ${sql.table(name)} as t where t::text like ${`%${mark}%`}`,
  )
  const { rows: found } = await sql<{ name: string }>`${sql.join(searches, sql` union all `)}`.execute(db)
  assert.deepEqual(found, [], 'a signing secret is in the database')
  assert.ok(!log.some((line) => line.includes(mark)), 'a signing secret is in the log')
}
