import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { pino } from 'pino'
import { openDbForLongStatements } from '../../../src/platform/database/db.ts'
import { migrate, underMigrationLock } from '../../../src/platform/database-setup/migrate.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { makeOldSchema } from '../../helpers/old-schema.ts'

test('conversations of before keep their minutes, no table and no index is written anew, and later messages come behind them', async () => {
  await using database = await makeDatabase({ empty: true })
  await makeOldSchema(database.address, 62)
  const client = new Client(database.address)
  await client.connect()
  await client.query(`insert into accounts (id, kind) values ('acc_x', 'standard')`)
  await client.query(
    `insert into contacts (account_id, id) select 'acc_x', 'con_' || n from generate_series(1, 3) as n`,
  )
  await client.query(`insert into conversations (account_id, contact_id, active_at) values ('acc_x', 'con_1', now())`)
  const files = async () =>
    (
      await client.query(
        `select c.oid::regclass::text as name, pg_relation_filenode(c.oid) as file from pg_class c
         where c.oid = 'conversations'::regclass
           or c.oid in (select indexrelid from pg_index where indrelid = 'conversations'::regclass) order by 1`,
      )
    ).rows
  const before = await files()
  assert.ok(before.length > 3)
  const db = openDbForLongStatements(database.address, pino({ enabled: false }))
  await underMigrationLock(db, migrate)
  await db.destroy()
  assert.deepEqual(await files(), before)
  await client.query(`insert into conversations (account_id, contact_id) values ('acc_x', 'con_2')`)
  const { rows } = await client.query(
    `select contact_id, active_step = date_trunc('minute', active_at) as has_minute,
       active_step > active_at and active_step = activity_step(active_at) as has_step
     from conversations order by active_step`,
  )
  await client.end()
  assert.deepEqual(rows, [
    { contact_id: 'con_1', has_minute: true, has_step: false },
    { contact_id: 'con_2', has_minute: false, has_step: true },
  ])
})
