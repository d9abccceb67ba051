import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { resendFailed } from '../../../src/journey/delivery/resend/resend.ts'
import { pauseReceiver } from '../../../src/journey/delivery/transports/webhook/webhooks.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { saveUrl } from '../../helpers/deliveries.ts'
import { startApp } from '../../helpers/harness.ts'

const count = 25_000

/** Inserts replies that were held back by a pause, as many as accumulate in days. */
async function holdBack(db: Db, accountId: AccountId): Promise<void> {
  await sql`
    insert into deliveries
      (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, due_at, error_category)
    select ${accountId}, 'msg_' || lpad(to_hex(${Date.now()}::bigint), 12, '0') || lpad(n::text, 20, '0'), 'reply',
      'con_' || n % 100, n, 'bot', '{}', null, 'endpoint_paused'
    from generate_series(1, ${count}::integer) as n
  `.execute(db)
}

/** Records how many deliveries each statement changes from now on. */
async function recordBatchSizes(db: Db): Promise<() => Promise<number[]>> {
  await sql`create table batch_sizes (n integer)`.execute(db)
  await sql`create function record_size() returns trigger language plpgsql
    as 'begin insert into batch_sizes select count(*) from changed; return null; end'`.execute(db)
  await sql`create trigger record_size after update on deliveries referencing new table as changed
    for each statement execute function record_size()`.execute(db)
  return async () => {
    const { rows } = await sql<{
      n: number
    }>`with taken as (delete from batch_sizes returning n) select n from taken`.execute(db)
    return rows.map(({ n }) => n)
  }
}

test('however many replies were held back, resuming and resending make them due in batches of at most 10,000', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const receiver = { accountId: shop.accountId, receiverId: 'reply' as const }
  await saveUrl(app, shop, 'http://127.0.0.1:9/')
  await pauseReceiver(app.db, receiver, { isPaused: true })
  await holdBack(app.db, shop.accountId)
  const takeBatchSizes = await recordBatchSizes(app.db)
  const assertInBatches = async () => {
    const sizes = await takeBatchSizes()
    assert.equal(
      sizes.reduce((sum, n) => sum + n, 0),
      count,
    )
    assert.ok(Math.max(...sizes) <= 10_000, String(sizes))
  }
  await pauseReceiver(app.db, receiver, { isPaused: false })
  await assertInBatches()
  assert.equal(await resendFailed(app.db, shop.accountId, new Date(Date.now() - 600_000).toISOString()), count)
  await assertInBatches()
  const { rows } = await sql`select count(*)::integer as due from deliveries where due_at <= now()`.execute(app.db)
  assert.deepEqual(rows, [{ due: count }])
})
