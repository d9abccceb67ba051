import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { listDeliveries } from '../../../src/journey/delivery/log/list-deliveries.ts'
import { countInTrouble } from '../../../src/journey/delivery/log/log-store.ts'
import { messageWebhook } from '../../../src/outbox/receivers.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import { startApp, type TestAccount } from '../../helpers/harness.ts'
import { readsOf, stopAutovacuum } from '../../helpers/plans.ts'

const replies = 6_000

/** Of one table for one page: sent replies are looked for among the latest 2,000. */
const mostRows = 2_000

/** In a row: 10 that were sent, one that failed, one that waits. */
async function fill(db: Db, { accountId }: TestAccount, contacts: number): Promise<void> {
  const contact = sql`'con_' || lpad(to_hex(n % ${contacts}::integer), 32, '0')`
  await sql`insert into contacts (account_id, id, first_name)
    select ${accountId}, ${contact}, 'Ana' from generate_series(1, ${contacts}::integer) as n`.execute(db)
  await sql`insert into conversations (account_id, contact_id, last_seq)
    select account_id, id, ${replies} from contacts where account_id = ${accountId}`.execute(db)
  await sql`insert into messages (account_id, id, contact_id, seq, direction, author, kind, body, outgoing_seq)
    select ${accountId}, 'msg_' || lpad(to_hex(n), 32, '0'), ${contact}, n, 'outgoing', 'api', 'text', 'Hello', n
    from generate_series(1, ${replies}::integer) as n`.execute(db)
  await sql`insert into deliveries (account_id, id, contact_id, outgoing_seq, payload, receiver_id, author, due_at, sent_at,
      error_category)
    select account_id, id, contact_id, seq, '', 'reply', 'api', case when seq % 12 < 2 then now() end,
      case when seq % 12 > 1 then now() end, case when seq % 12 = 1 then 'timeout' end
    from messages where account_id = ${accountId}`.execute(db)
}

test('no page of the log reads a large table from end to end, nor many of its rows', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  const accounts = [await app.makeAccount(), await app.makeAccount(), await app.makeAccount()]
  for (const account of accounts) await fill(app.db, account, 49)
  const accountId = accounts[0]?.accountId
  assert.ok(accountId)
  const receiver = { accountId, receiverId: messageWebhook }
  const middle = `msg_${(replies / 2).toString(16).padStart(32, '0')}~`
  for (const filter of ['all', 'sent', 'failed', 'waiting'] as const) {
    for (const asked of [{}, { before: middle }, { q: `con_${'0'.repeat(32)}` }, { q: 'ana', limit: '15' }]) {
      const reads = await readsOf(app, async (db) => {
        const page = await listDeliveries(db, { receiver, maxAttempts: 5 }, { filter, ...asked })
        assert.ok(page.deliveries.length > 0, JSON.stringify({ filter, ...asked }))
      })
      assertFew(reads, JSON.stringify({ filter, ...asked }))
    }
  }
  assertFew(await readsOf(app, (db) => countInTrouble(db, receiver)), 'counts')
})

test('any page of the log of one contact, also the last of thousands of replies, reads few messages and no reply twice', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  const shop = await app.makeAccount()
  await fill(app.db, shop, 1)
  for (const _ of [1, 2]) await fill(app.db, await app.makeAccount(), 49)
  const idOf = (n: number) => `msg_${n.toString(16).padStart(32, '0')}`
  for (const from of [replies, 3_000, 40]) {
    for (const filter of ['all', 'sent'] as const) {
      const reads = await readsOf(app, async (db) => {
        const asked = { filter, q: `con_${'0'.repeat(32)}`, before: `${idOf(from)}~` }
        const receiver = { accountId: shop.accountId, receiverId: messageWebhook }
        const { deliveries } = await listDeliveries(db, { receiver, maxAttempts: 5 }, asked)
        const expected = Array.from({ length: from - 1 }, (_, n) => from - 1 - n)
        const wanted = expected.filter((n) => filter === 'all' || n % 12 > 1).slice(0, 50)
        assert.deepEqual(
          deliveries.map(({ id }) => id),
          wanted.map(idOf),
        )
      })
      const messages = reads.filter(({ table }) => table === 'messages').map(({ rows }) => rows)
      assert.ok(Math.max(...messages) <= 400, `${messages} messages were read before ${from}, ${filter}`)
    }
  }
})

function assertFew(reads: Awaited<ReturnType<typeof readsOf>>, asked: string): void {
  const large = ['messages', 'deliveries']
  assert.deepEqual(
    reads.filter(({ table, isWhole, rows }) => large.includes(table) && (isWhole || rows > mostRows)),
    [],
    asked,
  )
}
