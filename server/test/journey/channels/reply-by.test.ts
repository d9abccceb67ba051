import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { assertRefusedCommand, commandsOn, readDocument } from '../../helpers/commands.ts'
import { saveUrl } from '../../helpers/deliveries.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { type ChannelWorld, connectBot, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { newClientId, reply, startConversation } from '../../helpers/providers/conversations.ts'
import { untilShown } from '../../helpers/providers/telegram.ts'
import { tooMany } from '../../helpers/providers/telegram-faults.ts'
import { type Received, startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

/** Ana, who has written to the bot, is known on the shop's own platform too, where replies are posted to `platform`. */
async function startWithBoth(world: ChannelWorld) {
  const platform = await startReceiver()
  const { app, shop, owner } = world
  await saveUrl(app, shop, platform.url)
  const started = await startConversation(world)
  const given = await owner.call('PATCH', `/api/contacts/${started.contactId}`, { externalId: 'ana' })
  assert.equal(given.status, 200, JSON.stringify(given.body))
  let sids = 0
  /** Returns when the message is kept. */
  const post = async (body: string, fields: object = {}) => {
    sids += 1
    const { status } = await shop.post(incomingPath, incoming({ body, messageSid: `sid-${sids}`, ...fields }))
    assert.equal(status, 200)
  }
  const write = async (body: string) => {
    started.ana.write(body)
    const kept = app.db.selectFrom('messages').select('id').where('body', '=', body)
    await until(async () => (await kept.execute()).length > 0, 'the message did not come')
  }
  return { ...started, platform, post, write, [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose]() }
}

const posted = ({ body }: Received): { body: string; channel: string } => JSON.parse(body.toString())

async function detailOf({ owner }: ChannelWorld, contactId: string): Promise<ConversationDetail> {
  const { status, body } = await owner.call('GET', `/api/conversations/${contactId}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const waysOf = async (world: ChannelWorld, contactId: string) => {
  const { usual, ways } = (await detailOf(world, contactId)).replyBy
  return { usual, ways: ways.map(({ channelId, address, whyNot, waits }) => [channelId, address, whyNot, waits]) }
}

test('each reply leaves by the channel of the last message, in order across both, and no platform is told of the other', async () => {
  await using world = await startChannelWorld()
  await using both = await startWithBoth(world)
  const { contactId, ana, platform, post, write, channel } = both
  world.telegram.plan('sendMessage', tooMany(2)) // so what follows by the other channel has to wait for it
  await reply(world, contactId, 'One')
  await post('By the platform, without a label')
  await reply(world, contactId, 'Two')
  assert.deepEqual(platform.requests, [])
  await until(() => platform.requests.length === 1, 'nothing was posted', 20_000)
  assert.deepEqual(
    ana.shown.map(({ text }) => text),
    ['One'],
    'the one before has arrived',
  )
  await write('From the phone')
  await reply(world, contactId, 'Three')
  await untilShown(ana, 2)
  await post('By the kiosk', { channel: 'kiosk' })
  await reply(world, contactId, 'Four')
  await until(() => platform.requests.length === 2, 'nothing was posted')
  await write('Back on the phone')
  await reply(world, contactId, 'Five')
  await untilShown(ana, 3)
  assert.deepEqual(
    ana.shown.map(({ text }) => text),
    ['One', 'Three', 'Five'],
  )
  assert.deepEqual(
    platform.requests.map(posted).map(({ body, channel: label }) => [body, label]),
    [
      ['Two', 'custom'],
      ['Four', 'kiosk'],
    ],
  )
  const sent = world.app.db.selectFrom('messages').select(['body', 'channel']).where('direction', '=', 'outgoing')
  assert.deepEqual(await sent.orderBy('outgoingSeq').execute(), [
    { body: 'One', channel: channel.id },
    { body: 'Two', channel: 'custom' },
    { body: 'Three', channel: channel.id },
    { body: 'Four', channel: 'kiosk' },
    { body: 'Five', channel: channel.id },
  ])
})

test('a chosen way holds for one reply, once, and the conversation says which there are', async () => {
  await using world = await startChannelWorld()
  await using both = await startWithBoth(world)
  const { contactId, ana, platform, channel } = both
  const other = await connectBot(world.owner, world.telegram.addBot())
  const address = String(ana.chatId)
  assert.deepEqual(await waysOf(world, contactId), {
    usual: channel.id,
    ways: [
      [channel.id, address, null, null],
      ['custom', 'ana', null, null],
      [other.id, null, 'no_address', null],
    ],
  })
  const chosen = { body: 'By the platform', channelId: 'custom', clientId: newClientId() }
  const path = `/api/conversations/${contactId}/replies`
  const [first, again] = [await world.owner.call('POST', path, chosen), await world.owner.call('POST', path, chosen)]
  assert.deepEqual([first.status, again.status, again.body.id], [200, 200, first.body.id])
  const changed = await world.owner.call('POST', path, { ...chosen, channelId: channel.id })
  assert.equal(changed.status, 400, 'another way is another reply')
  await until(() => platform.requests.length > 0, 'nothing was posted')
  await reply(world, contactId, 'As usual')
  await untilShown(ana, 1)
  assert.deepEqual(platform.requests.map(posted), [posted(platform.requests[0] as Received)], 'posted once')
  assert.equal((await waysOf(world, contactId)).usual, channel.id)
})

test('a way that leads nowhere is refused with its reason, and nothing of the reply is kept', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, channel } = await startConversation(world)
  const other = await connectBot(world.owner, world.telegram.addBot())
  const refusalOf = async (channelId: string) => {
    const asked = { body: 'One', clientId: newClientId(), channelId }
    const { status, body } = await world.owner.call('POST', `/api/conversations/${contactId}/replies`, asked)
    return [status, body.error?.message]
  }
  assert.deepEqual(await refusalOf('custom'), [409, 'There is no channel by which this contact could be reached.'])
  assert.deepEqual(await refusalOf(other.id), [
    409,
    'They are not known on this channel: they have to write there first.',
  ])
  const nobodys = `chn_${'0'.repeat(32)}`
  assert.deepEqual(await refusalOf(nobodys), [404, `There is no channel ${nobodys}.`])
  assert.deepEqual(await refusalOf('Web chat'), [404, 'There is no channel Web chat; its id would begin with chn_.'])
  ana.block()
  const stops = world.app.db.selectFrom('contactChannels').select('stoppedAt')
  await until(async () => (await stops.execute())[0]?.stoppedAt != null, 'nobody noted it')
  assert.deepEqual(await refusalOf(channel.id), [
    409,
    'They have blocked this channel, so nothing can be sent to them there.',
  ])
  assert.deepEqual((await waysOf(world, contactId)).ways, [
    [channel.id, String(ana.chatId), 'stopped', null],
    [other.id, null, 'no_address', null],
  ])
  assert.equal((await world.owner.call('DELETE', `/api/channels/${channel.id}`)).status, 200)
  assert.deepEqual(await refusalOf(channel.id), [
    409,
    'This channel was disconnected; connect it again to answer by it.',
  ])
  assert.deepEqual((await waysOf(world, contactId)).ways[0], [channel.id, String(ana.chatId), 'channel_removed', null])
  const kept = await world.app.db.selectFrom('messages').select('body').where('direction', '=', 'outgoing').execute()
  assert.deepEqual(kept, [])
})

test('a paused channel takes replies, which wait for it, and the conversation says so', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, channel } = await startConversation(world)
  assert.equal((await world.owner.call('POST', `/api/channels/${channel.id}/pause`)).status, 200)
  assert.deepEqual((await waysOf(world, contactId)).ways, [[channel.id, String(ana.chatId), null, 'paused']])
  await reply(world, contactId, 'One', { channelId: channel.id })
  assert.deepEqual(ana.shown, [])
  assert.equal((await world.owner.call('POST', `/api/channels/${channel.id}/resume`)).status, 200)
  await untilShown(ana, 1)
})

test('the command replies by the channel that is named', async () => {
  await using world = await startChannelWorld()
  await using both = await startWithBoth(world)
  await using commands = await commandsOn(world.app)
  const replyBy = (...words: string[]) =>
    commands.run('reply', '--account', world.shop.email, '--contact', both.contactId, '--json', ...words)
  readDocument(await replyBy('--body', 'One', '--channel', 'custom'))
  await until(() => both.platform.requests.length === 1, 'nothing was posted')
  readDocument(await replyBy('--body', 'Two', '--channel', both.channel.id))
  await untilShown(both.ana, 1)
  assertRefusedCommand(await replyBy('--body', 'Three', '--channel', 'kiosk'), /There is no channel kiosk/)
})
