import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { Pool } from 'pg'
import type { TestApp } from './harness.ts'

/** The names of the statements that store messages, since it was last asked. On a shared server it takes the place of the last one. */
export function watchKeeping({ pools }: TestApp): () => string[] {
  let names: string[] = []
  const query = Pool.prototype.query.bind(pools.batch) as (...given: unknown[]) => unknown
  Object.assign(pools.batch, {
    query: (...given: unknown[]) => {
      const { name } = given[0] as { name?: string }
      if (name?.startsWith('keep-')) names.push(name)
      return query(...given)
    },
  })
  return () => {
    const seen = names
    names = []
    return seen
  }
}

/**
 * Checks that each of these statements, which take arrays, finds its conversations by their key, one after the other in the order
 * given, so that they are locked in that order: with statistics of the table and without.
 */
export async function assertLocksInOrder(app: TestApp, accountId: string, statements: string[]): Promise<void> {
  await sql`
    with made as (
      insert into contacts (account_id, id, external_id) select ${accountId}, 'con_' || n, n from generate_series(1, 5000) n
      returning account_id, id
    )
    insert into conversations (account_id, contact_id) select * from made
  `.execute(app.db)
  const inOrder = /Nested Loop\n.*Function Scan on m\n.*Index Scan using conversations_pkey on conversations c\n/
  for (const statement of statements) {
    await sql`delete from pg_statistic where starelid = 'conversations'::regclass`.execute(app.db)
    assert.match(await readPlan(app, statement), inOrder)
    await sql`analyze conversations`.execute(app.db)
    assert.match(await readPlan(app, statement), inOrder)
  }
}

async function readPlan({ pools }: TestApp, statement: string): Promise<string> {
  const client = await pools.batch.connect()
  const parameters = new Set(statement.match(/\$\d+/g)).size
  const nulls = Array.from({ length: parameters }, () => 'null').join()
  await client.query(`prepare planned as ${statement}`)
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) execute planned (${nulls})`)
  client.release(true)
  return rows.map((row) => row['QUERY PLAN'].trim()).join('\n')
}
