import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/database/db.ts'

/** In the token of every bot of a test. */
export const markOfTokens = 'AAEtokenOfATest'

/** The prefix of every signing secret, and what is in every token. */
const marks = ['whsec_', markOfTokens]

/** Fails when a signing secret or the token of a bot is in clear text in any row of the database or any line of the log. */
export async function assertNoSecrets(db: Db, log: string[]): Promise<void> {
  for (const mark of marks) assert.ok(!log.some((line) => line.includes(mark)), `${mark}… is in the log`)
  assert.deepEqual(await findTablesWith(db, marks), [], 'a secret is in the database')
}

/** The tables that have one of these texts in any column of any row, also as bytes. */
export async function findTablesWith(db: Db, texts: string[]): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'm') and relnamespace = current_schema()::regnamespace and pg_relation_size(oid) > 0
  `.execute(db)
  if (tables.length === 0) return []
  // A row as text shows bytes as hexadecimal digits.
  const patterns = texts.flatMap((text) => [`%${text}%`, `%${Buffer.from(text).toString('hex')}%`])
  const searches = tables.map(
    ({ name }) => sql`
      (select ${name} as name from ${sql.table(name)} as t where t::text like any (${patterns}) limit 1)
    `,
  )
  const { rows: found } = await sql<{ name: string }>`${sql.join(searches, sql` union all `)}`.execute(db)
  return found.map(({ name }) => name)
}
