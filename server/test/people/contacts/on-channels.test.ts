import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { begin, outgoing, reply, startConversation } from '../../helpers/providers/conversations.ts'
import { faults } from '../../helpers/providers/telegram-faults.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

test('who is known on a built-in channel is found by their @name, shown and exported with it, and can be edited without any other address', async () => {
  await using world = await startChannelWorld({ RATE_LIMIT_PER_MINUTE: '0' })
  const { bot, channel, contactId: other } = await startConversation(world)
  const ana = bot.addPerson({ first_name: 'Ana', username: 'Ana_Rides' })
  const contactId = await begin(world, ana)
  const read = async (path: string, who = world.owner) => {
    const { status, body } = await who.call('GET', path)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const stranger = await signIn(world.app, await world.app.makeAccount())
  const inContacts = async (q: string, who = world.owner) =>
    (await read(`/api/contacts?q=${encodeURIComponent(q)}`, who)).contacts.map(({ id }: { id: string }) => id)
  const inSearch = async (q: string) =>
    (await read(`/api/search?q=${encodeURIComponent(q)}`)).people.map((one: { contactId: string }) => one.contactId)
  for (const q of ['@ana_rides', '@ANA_r', '@a']) {
    assert.deepEqual([await inContacts(q), await inSearch(q)], [[contactId], [contactId]], q)
  }
  assert.deepEqual(await inContacts('@rides'), [])
  assert.deepEqual(await inContacts('@'), [])
  assert.deepEqual(await inContacts('@%'), [])
  assert.deepEqual(await inContacts('@ana', stranger), [])
  const { body: list } = await world.owner.call('POST', '/api/lists', { name: 'Riders' })
  for (const id of [contactId, other]) await world.owner.call('PUT', `/api/contacts/${id}/lists/${list.id}`)
  const members = await read(`/api/contacts?listId=${list.id}&q=%40ana`)
  assert.deepEqual(
    members.contacts.map(({ id }: { id: string }) => id),
    [contactId],
  )

  const addresses = async () => (await read(`/api/contacts/${contactId}`)).addresses
  const [known] = await addresses()
  assert.deepEqual([known.address, known.channel.label, known.whyNot], ['@Ana_Rides', channel.id, null])
  const exported = await read('/api/contacts/export?q=%40ana')
  assert.match(String(exported), new RegExp(`${channel.name}: @Ana_Rides\r\n$`))

  const changed = await world.owner.call('PATCH', `/api/contacts/${contactId}`, { lastName: 'Lopez', phone: null })
  assert.deepEqual([changed.status, changed.body.lastName], [200, 'Lopez'])
  ana.block()
  await until(async () => (await addresses())[0].whyNot === 'stopped', 'the block is not shown')
})

test('of a way by which a message was not delivered the conversation says so', async () => {
  await using world = await startChannelWorld({ RATE_LIMIT_PER_MINUTE: '0' })
  const { contactId } = await startConversation(world)
  assert.equal((await world.owner.call('PATCH', `/api/contacts/${contactId}`, { externalId: 'ana' })).status, 200)
  const failing = async () =>
    (await world.owner.call('GET', `/api/conversations/${contactId}`)).body.replyBy.ways
      .filter(({ hasFailed }: { hasFailed: boolean }) => hasFailed)
      .map(({ channel }: { channel: { kind: string | null } }) => channel.kind)
  assert.deepEqual(await failing(), [])
  world.telegram.plan('sendMessage', faults.badRequest)
  await reply(world, contactId, 'One')
  await until(async () => (await outgoing(world))[0]?.errorCategory === 'provider_error', 'it did not fail')
  assert.deepEqual(await failing(), ['telegram'])
  await reply(world, contactId, 'Two', { channelId: 'custom' })
  await until(async () => (await failing()).length === 2, 'no webhook is saved, and that is not said')
})
