import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/database/db.ts'

/** The prefix of every signing secret. */
const mark = 'whsec_'

/** Fails when a signing secret is in clear text in any row of the database or any line of the log. */
export async function assertNoSecrets(db: Db, log: string[]): Promise<void> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'm') and relnamespace = current_schema()::regnamespace and pg_relation_size(oid) > 0
  `.execute(db)
  assert.ok(!log.some((line) => line.includes(mark)), 'a signing secret is in the log')
  if (tables.length === 0) return
  const searches = tables.map(
    ({ name }) => sql`select ${name} as name from ${sql.table(name)} as t where t::text like ${`%${mark}%`}`,
  )
  const { rows: found } = await sql<{ name: string }>`${sql.join(searches, sql` union all `)}`.execute(db)
  assert.deepEqual(found, [], 'a signing secret is in the database')
}
