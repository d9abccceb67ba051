import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type IncomingRow, keepMessage } from '../../../src/journey/intake/store.ts'
import { newId } from '../../../src/platform/ids.ts'
import { write } from '../../helpers/bots.ts'
import { sharedApp, startApp, type TestAccount } from '../../helpers/harness.ts'

const rowOf = ({ accountId }: TestAccount): IncomingRow => ({
  ...{
    accountId,
    messageId: newId('msg'),
    contactId: newId('con'),
    messageSid: newId('msg'),
    fromId: 'ana',
    toId: 'shop',
  },
  body: 'Hello',
  status: 'received',
  kind: 'text',
  channel: undefined,
  campaignId: undefined,
  firstName: undefined,
  lastName: undefined,
  trace: undefined,
  email: undefined,
  owesAnswer: true,
})

test('a further message to an open conversation within its quarter of an hour changes no index of the conversation', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  await write(account, 'Hello', { fromId: 'ana' })
  const updates = await app.db.transaction().execute(async (tx) => {
    // All messages of the transaction have its time.
    await sql`update conversations set active_at = now(), active_step = activity_step(now())`.execute(tx)
    for (let n = 0; n < 10; n += 1) await keepMessage(tx, rowOf(account))
    const { rows } = await sql<{ all: string; hot: string }>`
      select pg_stat_get_xact_tuples_updated('conversations'::regclass) as all,
        pg_stat_get_xact_tuples_hot_updated('conversations'::regclass) as hot
    `.execute(tx)
    return rows[0]
  })
  assert.equal(Number(updates?.all), 11)
  assert.ok(Number(updates?.hot) >= 10, `${updates?.hot} of 11 changed no index`)
})

test('a message opens a conversation that was closed or put off', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  await write(account, 'Hello', { fromId: 'ana' })
  for (const state of ['closed', 'snoozed'] as const) {
    await sql`
      update conversations set state = ${state}, snoozed_until = case when ${state} = 'snoozed' then now() + interval '1 day' end
    `.execute(app.db)
    await write(account, 'Again', { fromId: 'ana' })
    const [row] = await app.db.selectFrom('conversations').select(['state', 'snoozedUntil']).execute()
    assert.deepEqual(row, { state: 'open', snoozedUntil: null })
  }
})
