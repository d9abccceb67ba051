import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { endAllAccess } from '../../../src/business/accounts/access-store.ts'
import { acrossAccounts, openDbForLongStatements } from '../../../src/platform/database/db.ts'
import { migrate } from '../../../src/platform/database-setup/migrate.ts'
import { makeDatabase, runStatement } from '../../helpers/databases.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { makeOldSchema } from '../../helpers/old-schema.ts'
import { signIn } from '../../helpers/sessions.ts'

test('links of who was removed or made a member before links ended with their maker end with the upgrade, and no others', async () => {
  await using made = await makeDatabase({ empty: true })
  const { address } = made
  await makeOldSchema(address, 59)
  await runStatement(
    address,
    "insert into accounts (id, kind, agency_id) values ('acc_1', 'agency', null), ('acc_2', 'subaccount', 'acc_1')",
  )
  await runStatement(
    address,
    `insert into users (id, account_id, email, password_hash, is_owner, is_holder, removed_at) values
      ('usr_owner', 'acc_1', 'owner@example.com', '', true, true, null),
      ('usr_second', 'acc_1', 'second@example.com', '', true, false, null),
      ('usr_member', 'acc_1', 'member@example.com', '', false, false, null),
      ('usr_gone', 'acc_1', null, '', false, false, now()),
      ('usr_sub', 'acc_2', 'sub@example.com', '', true, true, null)`,
  )
  const links = [
    ['by owner', 'acc_1', 'usr_owner', null],
    ['by second for member', 'acc_1', 'usr_second', 'usr_member'],
    ['by agency for sub', 'acc_2', 'usr_owner', 'usr_sub'],
    ['by member', 'acc_1', 'usr_member', null],
    ['by gone', 'acc_1', 'usr_gone', null],
    ['by gone for sub', 'acc_2', 'usr_gone', 'usr_sub'],
    ['by owner for gone', 'acc_1', 'usr_owner', 'usr_gone'],
  ] as const
  for (const [id, account, madeBy, user] of links) {
    await runStatement(
      address,
      `insert into account_links (account_id, id, token_hash, user_id, makes_owner, made_by, ends_at) values
        ('${account}', '${id}', '${id}', ${user === null ? 'null' : `'${user}'`}, true, '${madeBy}', now() + interval '1 day')`,
    )
  }
  const db = openDbForLongStatements(address, pino({ level: 'silent' }))
  await db.transaction().execute((tx) => migrate(tx))
  const left = await acrossAccounts(db).selectFrom('accountLinks').select('id').execute()
  await db.destroy()
  assert.deepEqual(left.map(({ id }) => id).sort(), ['by agency for sub', 'by owner', 'by second for member'])
})

test('a restored copy ends sessions and links both or neither', async () => {
  await using app = await sharedApp()
  const owner = await signIn(app, await app.makeAccount())
  const refuse = `create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`
  await app.pools.keys.query(
    `${refuse}; create trigger refuses before delete on account_links execute function refuse()`,
  )
  await assert.rejects(endAllAccess(app.db), /not now/)
  assert.equal((await owner.call('GET', '/api/session')).status, 200)
})
