import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectBot, readChannel, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { beginAll, outgoing, reply, startConversation, untilSent } from '../../helpers/providers/conversations.ts'
import { type Person, untilShown } from '../../helpers/providers/telegram.ts'
import { faults, tooMany } from '../../helpers/providers/telegram-faults.ts'
import { until } from '../../helpers/until.ts'

const texts = (person: Person) => person.shown.map(({ text }) => text)

test('what a person of the shop types arrives on the phone, in order and once, and no secret is stored', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, bot } = await startConversation(world)
  for (const body of ['One', 'Two', 'Three']) await reply(world, contactId, body)
  await untilShown(ana, 3)
  await untilSent(world, 3)
  assert.deepEqual(texts(ana), ['One', 'Two', 'Three'])
  const [first] = await outgoing(world)
  assert.deepEqual([first?.attempts, first?.lastUrl], [1, 'api.telegram.org sendMessage'])
  assert.ok(!world.app.log.join('').includes(bot.token))
})

test('a request that was accepted and not answered leaves once more, marked, and what follows waits for it', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  await reply(world, contactId, 'One')
  await until(async () => (await outgoing(world))[0]?.doubtSince != null, 'it is not in doubt')
  await reply(world, contactId, 'Two')
  await untilSent(world, 2)
  assert.deepEqual(texts(ana), ['One', 'One', 'Two'])
  const [one, two] = await outgoing(world)
  assert.ok(one?.resentAt, 'it says that it may have arrived twice')
  assert.deepEqual([two?.resentAt, one?.doubtSince], [null, null])
})

test('what is in doubt twice is sent no third time, and waits for a person', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  world.telegram.plan('sendMessage', faults.cut, { isDone: true, times: 2 })
  await reply(world, contactId, 'One')
  await until(async () => (await outgoing(world))[0]?.errorCategory === 'in_doubt', 'it was not given up', 20_000)
  await sleep(6_000)
  assert.deepEqual(texts(ana), ['One', 'One'])
  const waiting = await world.app.db.selectFrom('conversations').select('waitingReason').executeTakeFirst()
  assert.equal(waiting?.waitingReason, 'in_doubt')
})

test('where the owner leaves doubts to people, nothing is sent twice', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, channel } = await startConversation(world)
  const change = { whenInDoubt: 'person', version: channel.version }
  assert.equal((await world.owner.call('PATCH', `/api/channels/${channel.id}`, change)).status, 200)
  world.telegram.plan('sendMessage', faults.silence, { isDone: true })
  await sleep(600) // the channel is read again twice a second
  await reply(world, contactId, 'One')
  await until(async () => (await outgoing(world))[0]?.errorCategory === 'in_doubt', 'it was not given up', 40_000)
  assert.deepEqual(texts(ana), ['One'])
})

test('a request that was refused before it left is tried again without a doubt', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  world.telegram.plan('sendMessage', faults.error)
  await reply(world, contactId, 'One')
  await untilSent(world, 1)
  assert.deepEqual(texts(ana), ['One'])
  const [one] = await outgoing(world)
  assert.deepEqual([one?.resentAt, one?.partAttempts], [null, 2])
})

test('a person who has blocked the bot is written to no more, which the conversation says, until they write again', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  ana.block()
  const stops = () => world.app.db.selectFrom('contactChannels').select(['stoppedAt']).execute()
  await until(async () => (await stops())[0]?.stoppedAt != null, 'nobody noted it')
  const refused = await world.owner.call('POST', `/api/conversations/${contactId}/replies`, {
    body: 'One',
    clientId: 'client-id-of-refused',
  })
  assert.equal(refused.status, 409)
  assert.match(refused.body.error.message, /blocked this channel/)
  ana.unblock()
  await until(async () => (await stops())[0]?.stoppedAt === null, 'nobody noted that they are back')
  await reply(world, contactId, 'Two')
  await untilShown(ana, 1)
  const events = await world.app.db.selectFrom('conversationEvents').select('kind').orderBy('at').execute()
  assert.deepEqual(
    events.map(({ kind }) => String(kind)),
    ['taken over', 'blocked', 'unblocked'],
  )
})

test('that somebody has blocked the bot is learnt from the answer too, and nothing else is tried', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, bot } = await startConversation(world)
  ana.block(false)
  await reply(world, contactId, 'One')
  await until(async () => (await outgoing(world))[0]?.errorCategory === 'blocked', 'it did not fail')
  const [one] = await outgoing(world)
  assert.deepEqual([one?.dueAt, one?.errorDetail], [null, 'Forbidden: bot was blocked by the user'])
  assert.equal(
    world.telegram.calls.filter(({ method, token }) => method === 'sendMessage' && token === bot.token).length,
    1,
  )
})

test('when Telegram asks to wait, nothing is sent for so long, and then all of it in order', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  world.telegram.plan('sendMessage', tooMany(3))
  for (const body of ['One', 'Two', 'Three']) await reply(world, contactId, body)
  await untilSent(world, 3)
  const sends = world.telegram.calls.filter(({ method }) => method === 'sendMessage').map(({ at }) => at)
  assert.ok((sends[1] ?? 0) - (sends[0] ?? 0) >= 2_900, 'the next one came after three seconds')
  assert.deepEqual(texts(ana), ['One', 'Two', 'Three'])
  assert.deepEqual(
    (await outgoing(world)).map(({ attempts, resentAt }) => [attempts, resentAt]),
    [1, 1, 1].map((n) => [n, null]),
  )
})

test('when the token dies, what waits uses up no attempt, and leaves once and in order with a new one', async () => {
  await using world = await startChannelWorld()
  const bot = world.telegram.addBot()
  const channel = await connectBot(world.owner, bot)
  const people = Array.from({ length: 20 }, () => bot.addPerson())
  const contacts = await beginAll(world, people)
  bot.revoke()
  const bodies = ['1', '2', '3', '4', '5']
  for (const body of bodies) await Promise.all(contacts.map((contactId) => reply(world, contactId, body)))
  await until(
    async () => (await readChannel(world.owner, channel.id)).attention?.reason === 'credentials',
    'it did not call for attention',
  )
  await until(
    async () => (await outgoing(world)).every(({ errorCategory }) => errorCategory === 'endpoint_paused'),
    'not all of it waits for the channel',
  )
  const token = bot.renew()
  const { version } = await readChannel(world.owner, channel.id)
  const change = { credentials: { token }, version }
  const changed = await world.owner.call('PATCH', `/api/channels/${channel.id}`, change)
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.equal(changed.body.state, 'working')
  people[0]?.write('Are you there?')
  const kept = () => world.app.db.selectFrom('messages').select('id').where('body', '=', 'Are you there?').execute()
  await until(async () => (await kept()).length === 1, 'nothing is fetched with the new token')
  await untilSent(world, 100)
  for (const person of people) assert.deepEqual(texts(person), bodies)
  for (const { attempts, resentAt } of await outgoing(world)) assert.deepEqual([attempts, resentAt], [1, null])
})

test('a long answer arrives in parts, with no other message of the conversation between them', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  const long = Array.from({ length: 900 }, (_, n) => `Sentence ${n}.`).join(' ')
  world.telegram.plan('sendMessage', tooMany(1))
  await reply(world, contactId, long)
  await reply(world, contactId, 'After')
  const shown = await untilShown(ana, 5)
  assert.equal(
    shown
      .slice(0, -1)
      .map(({ text }) => text)
      .join(' '),
    long,
  )
  assert.equal(shown.at(-1)?.text, 'After')
  await untilSent(world, 5) // a row for each part
})
