import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { readThread, untilShownAs } from '../../helpers/providers/channel-thread.ts'
import { type ChannelWorld, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { reply, startConversation } from '../../helpers/providers/conversations.ts'
import { untilShown } from '../../helpers/providers/telegram.ts'
import { faults } from '../../helpers/providers/telegram-faults.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

/** What somebody does with a message of the conversation. */
async function say(
  world: ChannelWorld,
  path: [contactId: string, messageId: string, act: string],
  owner = world.owner,
) {
  const [contactId, messageId, act] = path
  return owner.call('POST', `/api/conversations/${contactId}/messages/${messageId}/${act}`)
}

async function readRow(world: ChannelWorld, contactId: string) {
  return (await world.owner.call('GET', `/api/conversations/${contactId}`)).body
}

/** A message that was begun by a worker that then died: it may have left, and nobody knows. */
async function startLeftInDoubt(world: ChannelWorld, bodies: string[]) {
  const conversation = await startConversation(world)
  const { channel, contactId } = conversation
  const change = { whenInDoubt: 'person', version: channel.version }
  assert.equal((await world.owner.call('PATCH', `/api/channels/${channel.id}`, change)).status, 200)
  await sleep(600) // the channel is read again twice a second
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  const messageId = (await reply(world, contactId, bodies.join('\n\n'))).id
  const isLeft = async () => {
    const { rows } = await sql`select from deliveries where error_category = 'in_doubt'`.execute(world.app.db)
    return rows.length === 1
  }
  await until(isLeft, 'it was not left to a person', 20_000)
  return { ...conversation, messageId }
}

test('a message that may have arrived twice says so to everybody until somebody says that it is fine, however often', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  const messageId = (await reply(world, contactId, 'One')).id
  const doubtful = await untilShownAs(world, contactId, [
    ({ delivery }) => delivery?.overChannel?.doubtSince != null,
    'it is not in doubt',
  ])
  assert.deepEqual([doubtful.delivery?.status, doubtful.delivery?.overChannel?.repeatedAt], ['Waiting', null])
  assert.equal((await readRow(world, contactId)).conversation.isInDoubt, true)
  const twice = await untilShownAs(world, contactId, [
    ({ delivery }) => delivery?.status === 'Sent',
    'it did not leave once more',
  ])
  assert.deepEqual(
    ana.shown.map(({ text }) => text),
    ['One', 'One'],
  )
  const { doubtSince, repeatedAt, mayBeTwice, doubtEndedBy, receipts } = twice.delivery?.overChannel ?? {}
  assert.deepEqual([doubtSince, mayBeTwice, doubtEndedBy, receipts], [null, true, null, false])
  assert.ok(repeatedAt)
  const { conversation } = await readRow(world, contactId)
  assert.deepEqual([conversation.isInDoubt, conversation.hasFailed], [true, false])
  for (let n = 0; n < 2; n += 1) {
    const { status, body } = await say(world, [contactId, messageId, 'fine'])
    assert.deepEqual([status, body.delivery.overChannel.mayBeTwice], [200, false], JSON.stringify(body))
    assert.ok(body.delivery.overChannel.doubtEndedBy)
  }
  assert.equal((await readRow(world, contactId)).conversation.isInDoubt, false)
  await sleep(1_500)
  assert.equal(ana.shown.length, 2, 'nothing is sent by it')
})

test('of a message left to people somebody says that it arrived: it is Sent, leaves no more, and nobody waits', async () => {
  await using world = await startChannelWorld()
  const { contactId, messageId, ana } = await startLeftInDoubt(world, ['One'])
  const before = await readRow(world, contactId)
  const { hasFailed, isInDoubt, waitingReason } = before.conversation
  assert.deepEqual([hasFailed, isInDoubt, waitingReason], [true, true, 'in_doubt'])
  assert.deepEqual(before.replies, { sent: 0, failed: 0, inDoubt: 1, waiting: 0 })
  for (let n = 0; n < 2; n += 1) {
    const { status, body } = await say(world, [contactId, messageId, 'arrived'])
    assert.deepEqual([status, body.delivery.status, body.delivery.fault], [200, 'Sent', null], JSON.stringify(body))
  }
  const { conversation, replies } = await readRow(world, contactId)
  assert.deepEqual(
    [conversation.hasFailed, conversation.isInDoubt, conversation.waitingSince, replies.sent],
    [false, false, null, 1],
  )
  await sleep(1_500)
  assert.deepEqual(
    ana.shown.map(({ text }) => text),
    ['One'],
  )
})

test('what never left of a message follows when somebody says that the doubtful part arrived', async () => {
  await using world = await startChannelWorld()
  const bodies = ['One. '.repeat(700).trim(), 'Two. '.repeat(700).trim()]
  const { contactId, messageId, ana } = await startLeftInDoubt(world, bodies)
  const { status, body } = await say(world, [contactId, messageId, 'arrived'])
  assert.equal(status, 200)
  assert.deepEqual([body.delivery.overChannel.parts, body.delivery.overChannel.partsSent], [2, 1])
  await untilShown(ana, 2)
  assert.deepEqual(
    ana.shown.map(({ text }) => text.slice(0, 4)),
    ['One.', 'Two.'],
  )
  await untilShownAs(world, contactId, [({ delivery }) => delivery?.status === 'Sent', 'it is not sent'])
})

test('a message left to people leaves again when somebody wants it, once, and that it may be there twice is known', async () => {
  await using world = await startChannelWorld()
  const { contactId, messageId, ana } = await startLeftInDoubt(world, ['One'])
  const { status, body } = await say(world, [contactId, messageId, 'again'])
  assert.deepEqual([status, body.delivery.isSending], [200, true], JSON.stringify(body))
  const sent = await untilShownAs(world, contactId, [({ delivery }) => delivery?.status === 'Sent', 'it is not sent'])
  assert.equal(ana.shown.length, 2)
  assert.ok(sent.delivery?.overChannel?.repeatedAt)
  assert.equal(sent.delivery?.overChannel?.mayBeTwice, false, 'whoever asked knew')
  assert.equal((await readRow(world, contactId)).conversation.waitingSince, null)
  const late = await say(world, [contactId, messageId, 'arrived'])
  assert.equal(late.body.delivery.status, 'Sent')
})

test('nobody sends doubtful messages again with all that failed, and nobody else than their account decides', async () => {
  await using world = await startChannelWorld()
  const { contactId, messageId, ana } = await startLeftInDoubt(world, ['One'])
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const all = await world.app.db.selectFrom('deliveries').select('id').execute()
  assert.equal(all.length, 1)
  const { resendFailed } = await import('../../../src/journey/delivery/resend/resend.ts')
  assert.equal(await resendFailed(world.app.db, world.shop.accountId as Parameters<typeof resendFailed>[1], since), 0)
  const stranger = await signIn(world.app, await world.app.makeAccount())
  for (const act of ['arrived', 'fine', 'again']) {
    assert.equal((await say(world, [contactId, messageId, act], stranger)).status, 404, act)
  }
  await sleep(1_500)
  assert.equal(ana.shown.length, 1)
})

test('a doubtful message stays one when it is too old, its channel is gone or they have blocked it: it is never said not to have left', async () => {
  await using world = await startChannelWorld()
  const { channel, contactId, ana } = await startConversation(world)
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  const messageId = (await reply(world, contactId, 'One')).id
  const isBegun = async () => {
    const { rows } = await sql`select from delivery_parts where doubt_since is not null`.execute(world.app.db)
    return rows.length === 1
  }
  await until(isBegun, 'it is not in doubt')
  await sql`update messages set created_at = now() - interval '25 hours' where id = ${messageId}`.execute(world.app.db)
  const { delivery } = await untilShownAs(world, contactId, [
    ({ delivery }) => delivery?.status === 'Failed',
    'it did not end',
  ])
  assert.equal(delivery?.fault?.category, 'in_doubt')
  assert.equal((await readRow(world, contactId)).conversation.waitingReason, 'in_doubt')
  assert.equal(ana.shown.length, 1)
  assert.equal((await world.owner.call('GET', `/api/channels/${channel.id}`)).status, 200)
  assert.equal((await readThread(world, contactId)).messages.length, 2)
})
