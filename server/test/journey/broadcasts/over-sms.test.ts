import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { optOut } from '../../../src/journey/conversations/consent.ts'
import type { ChannelId, ContactId } from '../../../src/platform/ids.ts'
import { isFinished, makeMembers, newsOver, startCast, untilCast } from '../../helpers/broadcasts.ts'
import { addLine, type Line } from '../../helpers/providers/sms-phones.ts'
import { type SmsWorld, startSmsWorld } from '../../helpers/providers/sms-world.ts'

/** Contacts on the account's list whom nobody has ever written to: they have a phone number alone. */
async function addNumbers({ app, shop }: SmsWorld, count: number): Promise<ContactId[]> {
  const ids = await makeMembers(app.db, shop, count)
  await sql`
    update contacts c set external_id = null, phone = '+1303557' || lpad(k.n::text, 4, '0')
    from unnest(${ids}::text[]) with ordinality as k (id, n) where c.account_id = ${shop.accountId} and c.id = k.id
  `.execute(app.db)
  return ids
}

const numberOf = (n: number) => `+1303557${String(n).padStart(4, '0')}`

const sentBy = ({ account }: Line) => account.messages.filter(({ direction }) => direction === 'outbound-api')

test('who has a phone number gets it though they never wrote, and answers in a conversation of that channel; who stopped, opted out, or has none or another one’s number does not, as the preview said', async () => {
  await using world = await startSmsWorld()
  const { app, shop, owner } = world
  const line = await addLine(world)
  const channelId = line.channel.id as ChannelId
  const ids = await addNumbers(world, 7)
  const [optedOut, stopped, none, taken] = [ids[1], ids[2], ids[3], ids[4]] as [
    ContactId,
    ContactId,
    ContactId,
    ContactId,
  ]
  const { accountId } = shop
  await optOut(app.db, { accountId, contactId: optedOut })
  await sql`
    insert into contact_channels (account_id, contact_id, channel_id, address_kind, address, stopped_at, stop_scope, stop_source)
    values (${accountId}, ${stopped}, ${channelId}, 'phone', ${numberOf(3)}, now(), 'all', 'contact')
  `.execute(app.db)
  await app.db.updateTable('contacts').set({ phone: null }).where('id', '=', none).execute()
  // Somebody who is not on the list wrote from that number before.
  const [stranger] = await makeMembersElsewhere(world)
  await sql`
    insert into contact_addresses (account_id, channel_id, kind, address, contact_id)
    values (${accountId}, ${channelId}, 'phone', ${numberOf(5)}, ${stranger})
  `.execute(app.db)
  assert.ok(taken)
  const draft = { listId: shop.listId, channelId, body: newsOver(channelId).body }
  const { body: seen } = await owner.call('POST', '/api/broadcasts/preview', draft)
  const leftOut = { optedOut: 1, blocked: 1, noId: 1, noAddress: 0, idTaken: 1 }
  assert.deepEqual([seen.optedOut, seen.blocked, seen.noId, seen.idTaken, seen.contacts], [1, 1, 1, 1, 7])
  assert.deepEqual(
    seen.messages.map(({ externalId }: { externalId: string }) => externalId),
    [1, 6, 7].map(numberOf),
  )
  const { body: reach } = await owner.call('GET', `/api/lists/${shop.listId}/reach/${channelId}`)
  assert.equal(reach.writesFirstTo, 'phone numbers')
  const id = await startCast(shop, newsOver(channelId))
  const { counts } = await untilCast(shop, id, isFinished)
  assert.deepEqual(counts.leftOut, { ...leftOut, erased: 0, stopped: 0 })
  assert.deepEqual([counts.sent, counts.failed], [3, 0])
  assert.deepEqual(
    sentBy(line)
      .map(({ to, body }) => [to, body])
      .toSorted(),
    [
      [numberOf(1), 'Hello Reader b, we are open.'],
      [numberOf(6), 'Hello Reader g, we are open.'],
      [numberOf(7), 'Hello Reader h, we are open.'],
    ],
  )
  const made = await app.db
    .selectFrom('conversations')
    .select(['channel', 'state'])
    .where('contactId', '=', ids[0] as ContactId)
    .execute()
  assert.deepEqual(made, [{ channel: channelId, state: 'closed' }], 'it does not stand above what somebody works on')
  const again = await untilCast(shop, await startCast(shop, newsOver(channelId)), isFinished)
  assert.equal(again.counts.sent, 3, 'the address is attached once')
})

/** One contact that is on no list. */
async function makeMembersElsewhere({ app, shop }: SmsWorld): Promise<ContactId[]> {
  const { rows } = await sql<{ id: ContactId }>`
    insert into contacts (account_id, id, external_id) values (${shop.accountId}, 'con_' || repeat('9', 32), 'elsewhere') returning id
  `.execute(app.db)
  return rows.map(({ id }) => id)
}

test('a text of several segments takes the time of as many: four fifths of the rate are in segments, and the preview says how long and how many', async () => {
  await using world = await startSmsWorld()
  const { app, shop, owner } = world
  const line = await addLine(world, { perSecond: 10 })
  await addNumbers(world, 12)
  const channelId = line.channel.id
  await sql`update contacts set first_name = 'Şule' where phone = ${numberOf(4)}`.execute(app.db)
  const body = `Hello {{firstName}}, ${'we are open. '.repeat(8)}`.trim() // one segment, and two as Unicode
  const draft = { listId: shop.listId, channelId, body, ratePerMinute: 6_000 }
  const { body: seen } = await owner.call('POST', '/api/broadcasts/preview', draft)
  assert.deepEqual(seen.places, { least: 1, most: 2, all: 13 })
  assert.ok(Math.abs(seen.takesSeconds - 13 / 8) < 0.01, `${seen.takesSeconds} s`)
  const long = { ...draft, body: 'a'.repeat(400) }
  const { body: slower } = await owner.call('POST', '/api/broadcasts/preview', long)
  assert.deepEqual([slower.places, slower.takesSeconds], [{ least: 3, most: 3, all: 36 }, 36 / 8])

  const id = await startCast(shop, { ...newsOver(channelId), body: long.body })
  const { counts } = await untilCast(shop, id, isFinished)
  assert.equal(counts.sent, 12)
  const { body: shown } = await owner.call('GET', `/api/broadcasts/${id}`)
  assert.equal(shown.perMinute, (10 * 60 * 0.8) / 3)
  const parts = await app.db
    .selectFrom('deliveryParts')
    .select('begunAt')
    .where('channelId', '=', channelId as ChannelId)
    .execute()
  const begun = parts.map(({ begunAt }) => begunAt?.getTime() ?? 0).toSorted((one, other) => one - other)
  const took = (begun.at(-1) ?? 0) - (begun[0] ?? 0)
  assert.ok(took >= 11 * 375 - 250, `eleven more took ${took} ms at 8 segments a second`)
})

test('what Twilio refuses later was sent first, and then counts as failed; the sum holds', async () => {
  await using world = await startSmsWorld()
  const { shop } = world
  const line = await addLine(world)
  await addNumbers(world, 4)
  line.account.ends.set(numberOf(2), { undelivered: 30_003 })
  line.account.ends.set(numberOf(3), { refused: 21_211 })
  const id = await startCast(shop, newsOver(line.channel.id))
  const { counts, failures } = await untilCast(shop, id, ({ counts: now }) => now.sent + now.failed === 4)
  assert.deepEqual([counts.sent, counts.failed], [2, 2])
  assert.equal(
    failures.reduce((sum, { count }) => sum + count, 0),
    2,
  )
})
