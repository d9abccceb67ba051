import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { markReceipts } from '../../../src/journey/delivery/receipts/mark-receipts.ts'
import { secretKey } from '../../helpers/harness.ts'
import { type OwnWorld, startOwnWorld } from '../../helpers/own-channels.ts'
import { reply } from '../../helpers/providers/conversations.ts'

/** Messages 2, 3 … of a contact are replies, number 1 is theirs. */
async function startThread(replies = 3) {
  const world = await startOwnWorld()
  const contactId = await world.write('ana', 'Hello')
  for (let n = 2; n < 2 + replies; n++) await reply(world, contactId, `Reply ${n}`)
  let hints = 0
  const mark = (delivered: number, read: number, change: object = {}) => {
    const thread = { accountId: world.shop.accountId, channelId: world.channel.id as `chn_${string}`, contactId }
    const hint = () => {
      hints += 1
    }
    return markReceipts({ db: world.app.db, hint }, { ...thread, ...change }, { delivered, read })
  }
  return { ...world, contactId, mark, hints: () => hints, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

/** Of each reply in order: `-` sent, `D` delivered, `R` read; of its message and of its part, which are never apart. */
async function marksOf({ app }: Pick<OwnWorld, 'app'>, contactId?: string): Promise<string> {
  const { rows } = await sql<{ whole: string; part: string }>`
    select ${state('d')} as whole, ${state('p')} as part
    from deliveries d join messages m on m.account_id = d.account_id and m.id = d.id
    join delivery_parts p on p.account_id = d.account_id and p.delivery_id = d.id
    where ${contactId ?? null}::text is null or m.contact_id = ${contactId ?? null}
    order by m.contact_id, m.seq
  `.execute(app.db)
  for (const { whole, part } of rows) assert.equal(whole, part)
  return rows.map(({ whole }) => whole).join('')
}

const state = (row: string) =>
  sql.raw(`case when ${row}.read_at is not null then case when ${row}.delivered_at is null then '!' else 'R' end
    when ${row}.delivered_at is not null then 'D' else '-' end`)

test('marks move forward only: what was read has arrived and stays read, and a number behind or ahead changes nothing more', async () => {
  await using thread = await startThread()
  const steps: [delivered: number, read: number, then: string][] = [
    [0, 0, '---'],
    [1, 1, '---'],
    [3, 0, 'DD-'],
    [2, 2, 'RD-'],
    [0, 0, 'RD-'],
    [2, 3, 'RR-'],
    [999_999_999, 1, 'RRD'],
    [0, 999_999_999, 'RRR'],
    [4, 0, 'RRR'],
  ]
  for (const [delivered, read, then] of steps) {
    await thread.mark(delivered, read)
    assert.equal(await marksOf(thread), then, `${delivered}, ${read}`)
  }
  assert.equal(thread.hints(), 5)
  // What comes later is not read because somebody said so before it was there.
  await reply(thread, thread.contactId, 'One more')
  assert.equal(await marksOf(thread), 'RRR-')
})

test('the first time counts, the app shows it, and many marks at once agree', async () => {
  await using thread = await startThread()
  await thread.mark(2, 2)
  const shown = async () => {
    const { body } = await thread.owner.call('GET', `/api/conversations/${thread.contactId}/messages`)
    return body.messages[1].delivery.overChannel as { deliveredAt: string; readAt: string }
  }
  const first = await shown()
  assert.ok(Date.parse(first.deliveredAt) && Date.parse(first.readAt))
  await Promise.all(Array.from({ length: 12 }, (_, n) => thread.mark(4 - (n % 3), n % 5)))
  assert.deepEqual(await shown(), first)
  assert.equal(await marksOf(thread), 'RRR')
})

test('nobody marks what another contact or channel has, and of one that was erased nothing is found', async () => {
  await using thread = await startThread()
  const other = await thread.write('ben', 'Hello')
  await reply(thread, other, 'To Ben')
  await thread.mark(99, 99, { contactId: other })
  assert.deepEqual([await marksOf(thread, thread.contactId), await marksOf(thread, other)], ['---', 'R'])
  await thread.mark(99, 99, { channelId: 'chn_0190a000000070008000000000000000' })
  await thread.mark(99, 99, { accountId: 'acc_0190a000000070008000000000000000' })
  assert.equal(await marksOf(thread, thread.contactId), '---')
  await eraseContact(
    { db: thread.app.db, secretKey },
    { accountId: thread.shop.accountId, contactId: thread.contactId },
  )
  await thread.mark(99, 99)
  assert.equal(await marksOf(thread), 'R')
})

test('at most five hundred messages are marked at once, the oldest first; the same marks again mark the rest', async () => {
  await using thread = await startThread(1)
  const { app, contactId } = thread
  await sql`
    with copies as (
      insert into messages (account_id, id, contact_id, seq, outgoing_seq, direction, author, kind, body, channel)
      select account_id, 'msg_f' || lpad(n::text, 31, '0'), contact_id, seq + n, outgoing_seq + n, direction, author, kind, body, channel
      from messages, generate_series(1, 700) as n where direction = 'outgoing'
      returning account_id, id, contact_id, outgoing_seq
    ), delivered as (
      insert into deliveries (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, due_at, sent_at)
      select account_id, id, ${thread.channel.id}, contact_id, outgoing_seq, 'person', '', null, now() from copies
    )
    insert into delivery_parts (account_id, delivery_id, n, channel_id, contact_id, address_kind, address, content, accepted_at)
    select account_id, id, 1, ${thread.channel.id}, contact_id, 'browser', 'x', '{}', now() from copies
  `.execute(app.db)
  await thread.mark(9_999, 9_999)
  assert.equal(await marksOf(thread, contactId), 'R'.repeat(500) + '-'.repeat(201))
  await thread.mark(9_999, 9_999)
  assert.equal(await marksOf(thread, contactId), 'R'.repeat(701))
})
