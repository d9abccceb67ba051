import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContactId } from '../../../src/platform/ids.ts'
import { type ChannelWorld, connectBot, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { newClientId, startConversation } from '../../helpers/providers/conversations.ts'
import { untilShown } from '../../helpers/providers/telegram.ts'
import { signIn } from '../../helpers/sessions.ts'

/** Ana has written to the bot, and all that was said is gone: she is known there, without a conversation. */
async function startWithoutConversation(world: ChannelWorld) {
  const started = await startConversation(world)
  const { db } = world.app
  const contactId = started.contactId as ContactId // as it was found
  for (const table of ['messages', 'turns', 'conversationEvents', 'conversations'] as const) {
    await db.deleteFrom(table).where('contactId', '=', contactId).execute()
  }
  return started
}

const conversations = ({ app }: ChannelWorld) =>
  app.db.selectFrom('conversations').select(['contactId', 'channel', 'state', 'handler']).execute()

const bodies = async ({ app }: ChannelWorld) =>
  (await app.db.selectFrom('messages').select('body').orderBy('id').execute()).map(({ body }) => body)

async function refusal(world: Pick<ChannelWorld, 'owner'>, contactId: string, more: object) {
  const asked = { body: 'Hello', clientId: newClientId(), ...more }
  const { status, body } = await world.owner.call('POST', `/api/conversations/${contactId}/replies`, asked)
  return [status, body.error?.message]
}

test('a reply by a channel begins the conversation that is not there yet, once however often it is asked for, and the next one needs no channel', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, channel } = await startWithoutConversation(world)
  const path = `/api/conversations/${contactId}/replies`
  const first = { body: 'Your wheel is ready', channelId: channel.id, clientId: newClientId() }
  const answers = await Promise.all(Array.from({ length: 8 }, () => world.owner.call('POST', path, first)))
  for (const { status, body } of answers) assert.deepEqual([status, body.id], [200, answers[0]?.body.id])
  await untilShown(ana, 1)
  assert.deepEqual(await conversations(world), [{ contactId, channel: channel.id, state: 'open', handler: 'person' }])
  const next = await world.owner.call('POST', path, { body: 'Until six', clientId: newClientId() })
  assert.deepEqual([next.status, next.body.channel.label], [200, channel.id])
  await untilShown(ana, 2)
  assert.deepEqual(await bodies(world), ['Your wheel is ready', 'Until six'])
  const { body: list } = await world.owner.call('GET', '/api/conversations')
  assert.deepEqual(
    list.conversations.map((one: { contactId: string }) => one.contactId),
    [contactId],
  )
})

test('without a channel nothing begins a conversation, and a refused reply leaves nothing behind', async () => {
  await using world = await startChannelWorld()
  const { contactId, channel } = await startWithoutConversation(world)
  const other = await connectBot(world.owner, world.telegram.addBot())
  const none = `There is no conversation with ${contactId} in this account.`
  assert.deepEqual(await refusal(world, contactId, {}), [404, none])
  assert.deepEqual(await refusal(world, contactId, { channelId: other.id }), [
    409,
    'They are not known on this channel: they have to write there first.',
  ])
  assert.deepEqual(await refusal(world, contactId, { channelId: 'custom' }), [
    409,
    'There is no channel by which this contact could be reached.',
  ])
  assert.equal((await world.owner.call('DELETE', `/api/channels/${channel.id}`)).status, 200)
  assert.equal((await refusal(world, contactId, { channelId: channel.id }))[0], 409)
  assert.deepEqual([await conversations(world), await bodies(world)], [[], []])
})

test('nobody writes to the contact of another account, nor by its channel, nor is told by which ways', async () => {
  await using world = await startChannelWorld()
  const { contactId, channel } = await startWithoutConversation(world)
  const stranger = await signIn(world.app, await world.app.makeAccount())
  const theirs = await connectBot(stranger, world.telegram.addBot())
  const { body: made } = await stranger.call('POST', '/api/contacts', { phone: '+447700900123' })
  const strangersOwn = made.contact.id
  const asked = (who: string, channelId: string) => refusal({ owner: stranger }, who, { channelId })
  const noContact = `There is no conversation with ${contactId} in this account.`
  assert.deepEqual(await asked(contactId, theirs.id), [404, noContact])
  assert.deepEqual(await asked(contactId, channel.id), [404, noContact])
  assert.deepEqual(await asked(strangersOwn, channel.id), [404, `There is no channel ${channel.id}.`])
  assert.deepEqual(await conversations(world), [])
  assert.equal((await stranger.call('GET', `/api/ways?contactId=${contactId}`)).status, 404)
  const { body: ways } = await stranger.call('GET', `/api/ways?contactId=${strangersOwn}`)
  assert.deepEqual(
    ways.ways.map((way: { channelId: string; whyNot: string }) => [way.channelId, way.whyNot]),
    [[theirs.id, 'no_address']],
  )
})

test('by which ways somebody is reached is told before there is a conversation, each with its address or why not', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, channel } = await startWithoutConversation(world)
  const other = await connectBot(world.owner, world.telegram.addBot())
  const waysOf = async (query: string) => {
    const { status, body } = await world.owner.call('GET', `/api/ways${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return [body.usual, body.ways.map((way: Record<string, unknown>) => [way.channelId, way.address, way.whyNot])]
  }
  assert.deepEqual(await waysOf(`?contactId=${contactId}`), [
    null,
    [
      [channel.id, String(ana.chatId), null],
      [other.id, null, 'no_address'],
    ],
  ])
  assert.deepEqual(await waysOf(`?phone=${encodeURIComponent('+44 7700 900342')}`), [null, []], 'no bot writes first')
  const refused = async (query: string) => (await world.owner.call('GET', `/api/ways${query}`)).status
  assert.deepEqual(
    [
      await refused(''),
      await refused('?contactId=con_x'),
      await refused('?phone=none'),
      await refused(`?phone=%2B447700900342&contactId=${contactId}`),
    ],
    [400, 404, 400, 400],
  )
})

test('a number leads to whoever has it, in any variant, and makes nobody else', async () => {
  await using world = await startChannelWorld()
  const { owner } = world
  const { body: made } = await owner.call('POST', '/api/contacts', { firstName: 'Lia', phone: '+5511987654321' })
  const lia = made.contact.id
  const { body: found } = await owner.call('GET', `/api/ways?phone=${encodeURIComponent('+55 11 8765-4321')}`)
  assert.deepEqual(found.contact, { id: lia, name: 'Lia', phone: '+5511987654321' })
  const { body: again } = await owner.call('POST', '/api/contacts', { phone: '+55 (11) 8765-4321' })
  assert.deepEqual([again.isNew, again.contact.id], [false, lia])
  const stranger = await signIn(world.app, await world.app.makeAccount())
  const { body: theirs } = await stranger.call('GET', `/api/ways?phone=${encodeURIComponent('+5511987654321')}`)
  assert.deepEqual(theirs, { contact: null, usual: null, ways: [] })
})
