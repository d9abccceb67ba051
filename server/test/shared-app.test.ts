import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { runStatement } from './helpers/databases.ts'
import { sharedApp, type TestApp } from './helpers/harness.ts'
import { incoming, incomingPath } from './helpers/message-requests.ts'

async function rowsOf({ db }: TestApp): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations'
  `.execute(db)
  const searches = tables.map(({ name }) => sql`(select ${name} as name from ${sql.table(name)} limit 1)`)
  const { rows } = await sql<{ name: string }>`${sql.join(searches, sql` union all `)}`.execute(db)
  return rows.map(({ name }) => name)
}

/** Messages, calls of the API that are kept later, and a row of the ledger, which nobody may delete. */
async function use(app: TestApp): Promise<void> {
  const shop = await app.makeAccount()
  assert.equal((await shop.post(incomingPath, incoming())).status, 200)
  await sql`
    insert into ledger (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after, actor,
      contact_id, from_seq)
    select account_id, 'led_1', 1, 'usage', account_id, 'credits', account_id, 'usage', 1, 0, 'test', contact_id, seq from messages
  `.execute(app.db)
}

for (const environment of [{}, { ROLE: 'all' }]) {
  test(`the next test gets the same server, and nothing of the last one: ${JSON.stringify(environment)}`, async () => {
    const urls: string[] = []
    for (let round = 0; round < 3; round += 1) {
      await using app = await sharedApp(environment)
      assert.deepEqual(await rowsOf(app), [])
      assert.ok(!app.log.some((line) => line.includes(incomingPath)))
      urls.push(app.url)
      await use(app)
      assert.ok((await rowsOf(app)).includes('ledger'))
    }
    assert.equal(new Set(urls).size, 1)
  })
}

for (const change of [
  'alter table conversations alter column quiet_ms set default 1',
  'alter table contacts add column shoe_size integer',
  "create function one() returns integer language sql as 'select 1'",
]) {
  test(`a server whose database was changed is for nobody else: ${change}`, async () => {
    const changed = await sharedApp()
    await runStatement(changed.database.address, change)
    await changed[Symbol.asyncDispose]()
    await using app = await sharedApp()
    assert.notEqual(app.url, changed.url)
  })
}

test('the ledger refuses to be changed on a server that has served a test', async () => {
  for (let round = 0; round < 2; round += 1) {
    await using app = await sharedApp()
    await use(app)
    await assert.rejects(runStatement(app.database.address, 'delete from ledger'))
  }
})
