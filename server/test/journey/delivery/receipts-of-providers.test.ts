import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import type { Receipt } from '../../../src/journey/channels/kinds/kind.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { secretKey } from '../../helpers/harness.ts'
import { type ChannelWorld, connectBot, readChannel, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { begin, reply, startConversation, untilSent } from '../../helpers/providers/conversations.ts'
import { openReceipts, sentRows } from '../../helpers/providers/receipts.ts'
import { untilShown } from '../../helpers/providers/telegram.ts'
import { faults, slow } from '../../helpers/providers/telegram-faults.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

/** A conversation in which something was sent, and what the provider says of it. */
async function startSent(world: ChannelWorld, ...bodies: string[]) {
  const conversation = await startConversation(world)
  for (const body of bodies) await reply(world, conversation.contactId, body)
  const isSent = async () => (await sentRows(world)).every(({ status }) => status === 'Sent')
  await until(isSent, 'not all was sent')
  const say = await openReceipts({ app: world.app, accountId: world.shop.accountId }, conversation.channel)
  return { ...conversation, say }
}

const rowOf = async (world: ChannelWorld, body: string, n = 1) => {
  const row = (await sentRows(world)).find((one) => one.body === body && one.n === n)
  assert.ok(row, `no part ${n} of ${body}`)
  return row
}

const unreachable = { says: 'failed', code: '30003', detail: 'Unreachable destination handset' } as const

function ordersOf<One>(all: One[]): One[][] {
  if (all.length < 2) return [all]
  return all.flatMap((one, i) => ordersOf(all.toSpliced(i, 1)).map((rest) => [one, ...rest]))
}

test('CH19: in all 24 orders of sent, delivered, read and failed, read stays read and nothing fails that arrived', async () => {
  await using world = await startChannelWorld()
  const { say } = await startSent(world, 'One')
  const { id, providerId } = await rowOf(world, 'One')
  const orders = ordersOf<Receipt['says']>(['sent', 'delivered', 'read', 'failed'])
  assert.equal(orders.length, 24)
  for (const byOurs of [true, false]) {
    for (const order of orders) {
      await forget(world)
      const said = new Set<Receipt['says']>()
      for (const says of order) {
        await say([
          {
            ...(says === 'failed' ? unreachable : { says }),
            providerId: providerId ?? '',
            ours: byOurs ? { messageId: id, n: 1 } : null,
          },
        ])
        said.add(says)
        const { status, part, whole, category, isDue } = await rowOf(world, 'One')
        const ticks = said.has('read') ? 'R' : said.has('delivered') ? 'D' : '-'
        const isFailed = ticks === '-' && said.has('failed')
        const expected = [
          isFailed ? 'Failed' : 'Sent',
          `${ticks}${isFailed ? 'F' : 'A'}`,
          ticks,
          isFailed ? 'not_delivered' : null,
          false,
        ]
        assert.deepEqual([status, part, whole, category, isDue], expected, `${order.join(', ')} at ${says}`)
      }
    }
  }
  // Those that come together say the same as one after another.
  for (const order of orders) {
    await forget(world)
    await say(order.map((says) => ({ ...(says === 'failed' ? unreachable : { says }), providerId: providerId ?? '' })))
    const { status, part, whole } = await rowOf(world, 'One')
    assert.deepEqual([status, part, whole], ['Sent', 'RA', 'R'])
  }
})

/** As when it was just sent. */
async function forget({ app }: ChannelWorld): Promise<void> {
  await sql`
    update delivery_parts set delivered_at = null, read_at = null, failed_at = null, accepted_at = now(), error_code = null, error_detail = null
  `.execute(app.db)
  await sql`
    update deliveries set delivered_at = null, read_at = null, sent_at = now(), error_category = null, error_detail = null,
      awaits_receipt_until = now() + interval '1 day'
  `.execute(app.db)
}

test('CH19: a message of parts has arrived when all of them have, and has failed with one of them', async () => {
  await using world = await startChannelWorld()
  const long = `${'word '.repeat(1_200)}end`
  const { say } = await startSent(world, long)
  const parts = (await sentRows(world)).map(({ providerId }) => providerId ?? '')
  assert.equal(parts.length, 2)
  const [first = '', second = ''] = parts
  const whole = async () => (await sentRows(world)).map((row) => `${row.status} ${row.part} ${row.whole}`)
  await say([{ says: 'read', providerId: second }])
  assert.deepEqual(await whole(), ['Sent -A -', 'Sent RA -'])
  await say([{ says: 'delivered', providerId: first }])
  assert.deepEqual(await whole(), ['Sent DA D', 'Sent RA D'])
  await say([{ ...unreachable, providerId: first }])
  assert.deepEqual(await whole(), ['Sent DA D', 'Sent RA D'])
  await forget(world)
  await say([
    { says: 'delivered', providerId: first },
    { ...unreachable, providerId: second },
  ])
  assert.deepEqual(await whole(), ['Failed DA -', 'Failed -F -'])
})

test('CH20: a receipt before our request is answered, and before that is stored, keeps its ticks: Sent, one attempt', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, say } = await startSent(world)
  for (const says of ['sent', 'delivered', 'read'] as const) {
    world.telegram.plan('sendMessage', slow(1_500), { isDone: true })
    const shown = ana.shown.length
    const { id } = await reply(world, contactId, says)
    await untilShown(ana, shown + 1)
    await say([{ says, providerId: `${ana.chatId}/${ana.shown.at(-1)?.id ?? ''}`, ours: { messageId: id, n: 1 } }])
    assert.equal((await rowOf(world, says)).status, 'Waiting', 'whoever makes the attempt settles it')
    await until(async () => (await rowOf(world, says)).status !== 'Waiting', 'it was not settled')
    const { status, part, whole, attempts, isDue, category } = await rowOf(world, says)
    const ticks = { sent: '-', delivered: 'D', read: 'R' }[says]
    assert.deepEqual([status, part, whole, attempts, isDue, category], ['Sent', `${ticks}A`, ticks, 1, false, null])
  }
  assert.equal(ana.shown.length, 3)
})

test('CH20: what fails by a receipt before our request is answered is Failed, and leaves no more', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, say } = await startSent(world)
  world.telegram.plan('sendMessage', slow(1_500), { isDone: true })
  const { id } = await reply(world, contactId, 'One')
  await untilShown(ana, 1)
  const before = ana.shown.at(-1)
  await say([{ ...unreachable, providerId: `${ana.chatId}/${before?.id ?? ''}`, ours: { messageId: id, n: 1 } }])
  await until(async () => (await rowOf(world, 'One')).status !== 'Waiting', 'it was not settled')
  const { status, category, detail, attempts, isDue } = await rowOf(world, 'One')
  assert.deepEqual(
    [status, category, detail, attempts, isDue],
    ['Failed', 'not_delivered', '30003 Unreachable destination handset', 1, false],
  )
  assert.equal(ana.shown.length, 1)
})

test('CH24: a receipt ends a doubt: nothing is sent again, and what waited behind it leaves', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, say } = await startSent(world)
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  const { id } = await reply(world, contactId, 'One')
  await until(async () => (await rowOf(world, 'One')).isDue && ana.shown.length === 1, 'it did not leave')
  const inDoubt = () => world.app.db.selectFrom('deliveries').select('doubtSince').where('id', '=', id).execute()
  await until(async () => (await inDoubt())[0]?.doubtSince != null, 'it is not in doubt')
  await reply(world, contactId, 'Two')
  await say([{ says: 'sent', providerId: 'SM1', ours: { messageId: id, n: 1 } }])
  await untilSent(world, 2)
  const { status, attempts, resentAt, providerId } = await rowOf(world, 'One')
  assert.deepEqual([status, attempts, resentAt, providerId], ['Sent', 1, null, 'SM1'])
  assert.deepEqual((await inDoubt())[0]?.doubtSince, null)
  assert.deepEqual(
    ana.shown.map(({ text }) => text),
    ['One', 'Two'],
  )
})

test('CH24: a receipt for what was left to a person ends that, and their conversation waits no more', async () => {
  await using world = await startChannelWorld()
  const { contactId, channel, ana, say } = await startSent(world)
  const change = { whenInDoubt: 'person', version: channel.version }
  assert.equal((await world.owner.call('PATCH', `/api/channels/${channel.id}`, change)).status, 200)
  await new Promise((resolve) => setTimeout(resolve, 600)) // the channel is read again twice a second
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  const { id } = await reply(world, contactId, 'One')
  await until(async () => (await rowOf(world, 'One')).category === 'in_doubt', 'it was not left to a person')
  await say([{ says: 'delivered', providerId: 'SM1', ours: { messageId: id, n: 1 } }])
  const { status, whole, category } = await rowOf(world, 'One')
  assert.deepEqual([status, whole, category], ['Sent', 'D', null])
  const waiting = await world.app.db.selectFrom('conversations').select('waitingReason').executeTakeFirst()
  assert.equal(waiting?.waitingReason, null)
  assert.equal(ana.shown.length, 1)
})

test('CH20: what a process that died had sent is concluded by its receipt: nothing leaves twice', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, say } = await startSent(world)
  const died = async (body: string, receipt: Parameters<typeof say>[0][number]) => {
    world.telegram.plan('sendMessage', slow(60_000), { isDone: true })
    const shown = ana.shown.length
    const { id } = await reply(world, contactId, body)
    await untilShown(ana, shown + 1)
    await say([{ ...receipt, providerId: `SM ${body}`, ours: { messageId: id, n: 1 } }])
    // The process that made the attempt is gone, and so is its lease.
    await sql`
      update deliveries set lease_token = gen_random_uuid(), leased_until = now() - interval '1 s', due_at = now() where id = ${id}
    `.execute(world.app.db)
    await until(async () => (await rowOf(world, body)).status !== 'Waiting', 'nobody concluded it')
    return rowOf(world, body)
  }
  const one = await died('One', { says: 'delivered' })
  assert.deepEqual([one.status, one.whole, one.isDue, one.resentAt], ['Sent', 'D', false, null])
  const two = await died('Two', unreachable)
  assert.deepEqual([two.status, two.category, two.isDue], ['Failed', 'not_delivered', false])
  assert.equal(ana.shown.length, 2)
})

test("CH21: what names a message in another account's or another channel changes nothing anywhere", async () => {
  await using world = await startChannelWorld()
  await startSent(world, 'One')
  const { id, providerId } = await rowOf(world, 'One')
  const otherBot = world.telegram.addBot()
  const otherChannel = await connectBot(world.owner, otherBot)
  const neighbour = await world.app.makeAccount()
  const neighbours = await connectBot(await signIn(world.app, neighbour), world.telegram.addBot())
  const before = await rowOf(world, 'One')
  for (const [accountId, channel] of [
    [world.shop.accountId, otherChannel],
    [neighbour.accountId, neighbours],
  ] as const) {
    const say = await openReceipts({ app: world.app, accountId }, channel)
    for (const says of ['sent', 'read', 'failed'] as const) {
      await say([{ says, providerId: providerId ?? '', ours: { messageId: id, n: 1 } }])
      await say([{ says, providerId: providerId ?? '' }])
    }
    await say([{ says: 'read', providerId: 'SM1', ours: { messageId: id, n: 2 } }])
  }
  assert.deepEqual(await rowOf(world, 'One'), before)
})

test('CH23: what failed after Sent says so in the words of its provider, and a person may send it again, once', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, say } = await startSent(world, 'One')
  const first = await rowOf(world, 'One')
  await say([{ ...unreachable, providerId: first.providerId ?? '', ours: { messageId: first.id, n: 1 } }])
  const { body } = await world.owner.call('GET', `/api/conversations/${contactId}/messages`)
  const { delivery } = body.messages.at(-1)
  assert.deepEqual([delivery.status, delivery.fault.category], ['Failed', 'not_delivered'])
  assert.equal(delivery.fault.detail, '30003 Unreachable destination handset')
  assert.deepEqual([delivery.overChannel.parts, delivery.overChannel.partsSent], [1, 0])
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.equal(ana.shown.length, 1, 'a receipt sends nothing')
  const again = await world.owner.call('POST', `/api/conversations/${contactId}/messages/${first.id}/again`, {})
  assert.equal(again.status, 200, JSON.stringify(again.body))
  await untilSent(world, 1)
  const second = await rowOf(world, 'One')
  assert.deepEqual([ana.shown.length, second.attempts, second.part], [2, 2, '-A'])
  assert.notEqual(second.providerId, first.providerId)
  // Late repeats of what was said of the first one.
  await say([{ ...unreachable, providerId: first.providerId ?? '', ours: { messageId: first.id, n: 1 } }])
  assert.equal((await rowOf(world, 'One')).status, 'Sent')
  await say([{ says: 'delivered', providerId: second.providerId ?? '' }])
  assert.equal((await rowOf(world, 'One')).whole, 'D')
})

test('CH23: of a message of parts only the part that failed leaves again', async () => {
  await using world = await startChannelWorld()
  const long = `${'word '.repeat(1_200)}end`
  const { contactId, ana, say } = await startSent(world, long)
  const [first] = await sentRows(world)
  const firstText = ana.shown[0]?.text
  await say([{ ...unreachable, providerId: first?.providerId ?? '' }])
  const path = `/api/conversations/${contactId}/messages/${first?.id}/again`
  assert.equal((await world.owner.call('POST', path, {})).status, 200)
  await untilSent(world, 2)
  assert.deepEqual([ana.shown.length, ana.shown.at(-1)?.text], [3, firstText])
  assert.deepEqual(
    (await sentRows(world)).map(({ part, status }) => `${status} ${part}`),
    ['Sent -A', 'Sent -A'],
  )
})

test('CH38: that they take nothing more is learnt from a receipt: the next message is refused here', async () => {
  await using world = await startChannelWorld()
  const { contactId, say } = await startSent(world, 'One')
  const { providerId } = await rowOf(world, 'One')
  const stopped = {
    says: 'failed',
    code: '21610',
    detail: 'Attempt to send to unsubscribed recipient',
    effect: 'blocked',
  } as const
  await say([{ ...stopped, providerId: providerId ?? '' }])
  await say([{ ...stopped, providerId: providerId ?? '' }])
  const stops = await world.app.db.selectFrom('contactChannels').select(['stoppedAt', 'stopScope']).execute()
  assert.ok(stops[0]?.stoppedAt)
  assert.equal(stops[0]?.stopScope, 'all')
  const refused = await world.owner.call('POST', `/api/conversations/${contactId}/replies`, {
    body: 'Two',
    clientId: 'client-id-of-refused',
  })
  assert.equal(refused.status, 409)
  const events = await world.app.db.selectFrom('conversationEvents').select('kind').execute()
  assert.equal(events.filter(({ kind }) => String(kind) === 'blocked').length, 1)
})

test('three messages in a row that the sender may not send call for attention once; one that arrives begins anew', async () => {
  await using world = await startChannelWorld()
  const { channel, say } = await startSent(world, '1', '2', '3', '4', '5', '6')
  const ids = (await sentRows(world)).map(({ providerId }) => providerId ?? '')
  const refused = {
    says: 'failed',
    code: '30034',
    detail: 'Message from an unregistered number',
    effect: 'not registered',
  } as const
  const state = async () => (await readChannel(world.owner, channel.id)).attention?.reason
  for (const i of [0, 0, 0, 1, 1]) await say([{ ...refused, providerId: ids[i] ?? '' }])
  assert.equal(await state(), undefined, 'a repeat counts once')
  await say([{ says: 'delivered', providerId: ids[2] ?? '' }])
  await say([3, 4].map((i) => ({ ...refused, providerId: ids[i] ?? '' })))
  assert.equal(await state(), undefined)
  await say([{ ...refused, providerId: ids[5] ?? '' }])
  assert.equal(await state(), 'not registered')
  const { checks } = await readChannel(world.owner, channel.id)
  assert.equal(checks.find(({ state }) => state === 'failing')?.quote, '30034 Message from an unregistered number')
})

test('CH18: after an erasure a receipt finds nothing and makes nobody, and nothing that named their messages is left', async () => {
  await using world = await startChannelWorld()
  const { contactId, say } = await startSent(world, 'One')
  const ben = await begin(world, (await startConversation(world)).bot.addPerson())
  const { id, providerId } = await rowOf(world, 'One')
  await sql`
    insert into provider_events (account_id, channel_id, why, body, provider_id, due_at)
    select account_id, channel_id, 'a receipt', '{}', provider_id, now() + interval '1 h' from delivery_parts
  `.execute(world.app.db)
  await sql`
    insert into provider_events (account_id, channel_id, why, body)
    select account_id, channel_id, 'unknown', '{"message":"' || provider_id || '"}' from delivery_parts
  `.execute(world.app.db)
  await sql`
    insert into provider_events (account_id, channel_id, why, body)
    select account_id, channel_id, 'unknown', '{"message":"another"}' from delivery_parts
  `.execute(world.app.db)
  const ref = { accountId: world.shop.accountId, contactId: contactId as ContactId }
  await eraseContact({ db: world.app.db, secretKey }, ref)
  const events = () =>
    sql<{ body: string | null }>`select body from provider_events where body is not null`.execute(world.app.db)
  assert.deepEqual((await events()).rows, [{ body: '{"message":"another"}' }])
  await say([
    { says: 'read', providerId: providerId ?? '', ours: { messageId: id, n: 1 } },
    { says: 'read', providerId: providerId ?? '' },
  ])
  const people = await world.app.db.selectFrom('contacts').select('id').execute()
  assert.ok(people.every((one) => one.id !== contactId) && people.some((one) => one.id === ben))
  assert.deepEqual(await sentRows(world), [])
})
