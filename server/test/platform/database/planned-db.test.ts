import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openPlannedDb } from '../../../src/platform/database/planned-db.ts'
import { retryOnLostConnection } from '../../../src/platform/database/retry.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { silentLog } from '../../helpers/knowledge.ts'

async function startWorld() {
  const started = new AsyncDisposableStack()
  const { address } = started.use(await makeDatabase())
  const db = openPlannedDb(address, silentLog, { connections: 1, name: 'patchbay planned' })
  started.defer(() => db.destroy())
  const planned = async () => {
    const { rows } = await sql<{ statement: string; runs: string }>`
      select statement, generic_plans + custom_plans as runs from pg_prepared_statements
      where from_sql = false and statement not like '%pg_prepared%' order by statement
    `.execute(db)
    return rows.map(({ statement, runs }) => [statement, Number(runs)])
  }
  return { db, planned, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

test('each statement is planned once a connection, in a transaction or not, whatever its values', async () => {
  await using world = await startWorld()
  const { db, planned } = world
  const double = (value: number) => sql<{ twiceIt: number }>`select 2 * ${value}::int as twice_it`
  const results = [await double(1).execute(db), await double(2).execute(db)]
  await db.transaction().execute(async (tx) => {
    results.push(await double(3).execute(tx))
  })
  assert.deepEqual(
    results.flatMap(({ rows }) => rows),
    [{ twiceIt: 2 }, { twiceIt: 4 }, { twiceIt: 6 }],
  )
  assert.deepEqual(await planned(), [['select 2 * $1::int as twice_it', 3]])
})

test('a transaction that fails is rolled back, and its connection goes on', async () => {
  await using world = await startWorld()
  const { db } = world
  const insert = (id: string) => sql`insert into accounts (id, kind) values (${id}, 'standard')`
  await assert.rejects(
    db.transaction().execute(async (tx) => {
      await insert('acc_a').execute(tx)
      await insert('acc_a').execute(tx)
    }),
  )
  await insert('acc_a').execute(db)
})

test('after a connection was lost, statements are planned on the next one', async () => {
  await using world = await startWorld()
  const { db } = world
  const plus = (value: number) => sql<{ sum: number }>`select 1 + ${value}::int as sum`.execute(db)
  await plus(1)
  await assert.rejects(sql`select pg_terminate_backend(pg_backend_pid())`.execute(db))
  assert.deepEqual((await retryOnLostConnection(() => plus(2))).rows, [{ sum: 3 }])
})

test('statements that never come again do not fill the memory of a connection', async () => {
  await using world = await startWorld()
  const { db, planned } = world
  for (let n = 0; n < 250; n += 1) {
    const { rows } = await sql`select ${n}::int as n, ${sql.lit(n)} as other`.execute(db)
    assert.deepEqual(rows, [{ n, other: n }])
  }
  assert.equal((await planned()).length, 200)
})
