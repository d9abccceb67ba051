import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { sentRows } from '../../helpers/providers/receipts.ts'
import {
  addLine,
  addLineOf,
  addPhone,
  callsOf,
  newNumber,
  planFor,
  takenFor,
} from '../../helpers/providers/sms-phones.ts'
import { type SmsWorld, startSmsWorld } from '../../helpers/providers/sms-world.ts'
import { slow } from '../../helpers/providers/telegram-faults.ts'
import { step } from '../../helpers/providers/twilio-messages.ts'
import { until } from '../../helpers/until.ts'

type Ref = { contactId: string }

const rowOf = async (world: SmsWorld, id: string) => {
  const row = (await sentRows(world)).find((one) => one.id === id)
  assert.ok(row)
  return row
}

/** As the app shows the last message. */
async function shown({ owner }: SmsWorld, { contactId }: Ref) {
  const { status, body } = await owner.call('GET', `/api/conversations/${contactId}/messages`)
  assert.equal(status, 200)
  return body.messages.at(-1).delivery
}

const untilTold = (world: SmsWorld, id: string, state: string) =>
  until(async () => {
    const { status, whole } = await rowOf(world, id)
    return `${status} ${whole}` === state
  }, `it is not ${state}`)

test('what Twilio delivers is Sent, then Delivered, and no more is awaited: in the thread and in the log of the channel', async () => {
  await using world = await startSmsWorld()
  const ana = await addLineOf(world)
  const id = await ana.say('One')
  await untilTold(world, id, 'Sent D')
  const { attempts, part, isAwaited, says, isDue } = await rowOf(world, id)
  assert.deepEqual([attempts, part, isAwaited, says, isDue], [1, 'DA', null, 'delivered', false])
  const { status, overChannel, fault } = await shown(world, ana)
  assert.deepEqual([status, fault, overChannel.receipts, overChannel.readAt], ['Sent', null, true, null])
  assert.ok(Date.parse(overChannel.deliveredAt))
  const { body } = await world.owner.call('GET', `/api/channels/${ana.channel.id}/deliveries/${id}`)
  assert.deepEqual([body.tells, body.parts[0].says, body.parts[0].failedAt], [true, 'delivered', null])
  assert.ok(Date.parse(body.parts[0].deliveredAt))
  assert.ok(ana.account.poster.posted.every((post) => post.status === 200))
})

test('where carriers say nothing more it stays Sent, and is awaited for a day', async () => {
  await using world = await startSmsWorld()
  const ana = await addLineOf(world)
  ana.account.ends.set(ana.number, { silent: true })
  const id = await ana.say('One')
  await untilTold(world, id, 'Sent -')
  await until(async () => (await rowOf(world, id)).says === 'sent', 'no receipt came')
  const { rows } = await sql<{ hours: number }>`
    select round(extract(epoch from awaits_receipt_until - sent_at) / 3600)::integer as hours from deliveries
  `.execute(world.app.db)
  assert.deepEqual(rows, [{ hours: 24 }])
})

test('CH23: what Twilio could not deliver fails after Sent, in its words and with its code, and leaves again when a person says so', async () => {
  await using world = await startSmsWorld()
  const ana = await addLineOf(world)
  ana.account.ends.set(ana.number, { undelivered: 30_003 })
  const id = await ana.say('One')
  await untilTold(world, id, 'Failed -')
  const { status, fault, overChannel, nextAttemptAt } = await shown(world, ana)
  assert.deepEqual([status, fault.category, nextAttemptAt], ['Failed', 'not_delivered', null])
  assert.match(fault.detail, /^30003 Their phone is off/)
  assert.equal(overChannel.partsSent, 0)
  const { body } = await world.owner.call('GET', `/api/channels/${ana.channel.id}/deliveries/${id}`)
  assert.deepEqual([body.parts[0].says, body.parts[0].code, body.delivery.status], ['failed', '30003', 'Failed'])
  assert.ok(Date.parse(body.parts[0].failedAt))
  await sleep(1_500)
  assert.equal(takenFor(ana, ana).length, 1, 'a receipt sends nothing')
  ana.account.ends.delete(ana.number)
  const path = `/api/conversations/${ana.contactId}/messages/${id}/again`
  assert.equal((await world.owner.call('POST', path, {})).status, 200)
  await untilTold(world, id, 'Sent D')
  assert.equal(takenFor(ana, ana).length, 2)
})

test('CH20: receipts that come before Twilio has answered our request, and in the wrong order, leave it Sent with one attempt', async () => {
  await using world = await startSmsWorld()
  const ana = await addLineOf(world)
  world.twilio.plan('send', slow(1_500), { isDone: true, of: { token: ana.account.authToken } })
  const id = await ana.say('One')
  await until(async () => (await rowOf(world, id)).says === 'delivered', 'no receipt came')
  assert.equal((await rowOf(world, id)).status, 'Waiting')
  const [message] = takenFor(ana, ana)
  assert.ok(message)
  await step(ana.account, message, 'queued')
  await untilTold(world, id, 'Sent D')
  const { attempts, part, isAwaited, resentAt } = await rowOf(world, id)
  assert.deepEqual([attempts, part, isAwaited, resentAt], [1, 'DA', null, null])
  assert.equal(takenFor(ana, ana).length, 1)
})

test('CH24: what Twilio took without an answer is cleared by its receipt, and Twilio is not asked', async () => {
  await using world = await startSmsWorld()
  const ana = await addLineOf(world)
  planFor(world, ana, { send: ['taken and cut'] })
  const id = await ana.say('One')
  await ana.say('Two')
  await untilTold(world, id, 'Sent D')
  await until(() => takenFor(ana, ana).length === 2, 'the next one did not leave')
  assert.equal(callsOf(world, ana, 'look').length, 0)
  const { attempts, resentAt, providerId } = await rowOf(world, id)
  assert.deepEqual([attempts, resentAt, providerId], [1, null, takenFor(ana, ana)[0]?.sid])
})

test("CH21: a receipt for a message of another account, rightly signed for one's own number, changes nothing anywhere", async () => {
  await using world = await startSmsWorld()
  const ana = await addLineOf(world)
  const id = await ana.say('One')
  await untilTold(world, id, 'Sent D')
  const neighbour = await addLine(world)
  const before = await sentRows(world)
  const [message] = takenFor(ana, ana)
  assert.ok(message)
  const own = message.callback.replace(ana.channel.id, neighbour.channel.id)
  assert.match(own, new RegExp(id), 'it names our message')
  await step(neighbour.account, { ...message, callback: own }, 'undelivered', 30_003)
  // Posted where the message is known, and signed by the neighbour.
  await step(neighbour.account, message, 'undelivered', 30_003)
  assert.deepEqual(
    neighbour.account.poster.posted.map(({ status }) => status),
    // Twilio posts what was refused some times more.
    [200, ...neighbour.account.poster.posted.slice(1).map(() => 401)],
  )
  assert.deepEqual(await sentRows(world), before)
})

test('CH38: 21610 in a receipt stops the number: the conversation says so, and the next message is refused here', async () => {
  await using world = await startSmsWorld()
  const ana = await addLineOf(world)
  ana.account.ends.set(ana.number, { undelivered: 21_610 })
  const id = await ana.say('One')
  await untilTold(world, id, 'Failed -')
  const stops = await world.app.db.selectFrom('contactChannels').select(['stopScope', 'stopSource']).execute()
  assert.deepEqual(stops, [{ stopScope: 'all', stopSource: 'provider' }])
  const refused = await world.owner.call('POST', `/api/conversations/${ana.contactId}/replies`, {
    ...{ body: 'Two', clientId: 'client-id-of-refused', channelId: ana.channel.id },
  })
  assert.equal(refused.status, 409)
  assert.equal(takenFor(ana, ana).length, 1)
})

test('30034 in three receipts in a row calls for attention in the words of Twilio, and what follows waits', async () => {
  await using world = await startSmsWorld()
  const line = await addLine(world)
  const phones = await Promise.all([1, 2, 3].map(() => addPhone(world, line, newNumber())))
  for (const { number } of phones) line.account.ends.set(number, { undelivered: 30_034 })
  for (const phone of phones) await untilTold(world, await phone.say('One'), 'Failed -')
  const { body } = await world.owner.call('GET', `/api/channels/${line.channel.id}`)
  assert.deepEqual([body.state, body.attention?.reason], ['attention', 'not registered'])
  assert.match(JSON.stringify(body.checks), /30034 This number is not registered/)
})
