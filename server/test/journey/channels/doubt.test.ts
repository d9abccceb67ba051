import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChannelId } from '../../../src/platform/ids.ts'
import { type ChannelWorld, readChannel, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { begin, outgoing, reply, startConversation, untilSent } from '../../helpers/providers/conversations.ts'
import type { Person } from '../../helpers/providers/telegram.ts'
import { faults, tooMany } from '../../helpers/providers/telegram-faults.ts'
import { until } from '../../helpers/until.ts'

const texts = (person: Person) => person.shown.map(({ text }) => text)

const untilInDoubt = (world: ChannelWorld) =>
  until(async () => (await outgoing(world))[0]?.doubtSince != null, 'it is not in doubt')

test('where there was no connection nothing has left: it is tried again without a doubt, and no mark says that it may be double', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  await world.telegram.goAway()
  await reply(world, contactId, 'One')
  await reply(world, contactId, 'Two')
  await until(async () => (await outgoing(world))[0]?.partAttempts === 1, 'it was not tried')
  assert.equal((await outgoing(world))[0]?.doubtSince, null)
  await world.telegram.comeBack()
  await untilSent(world, 2)
  assert.deepEqual(texts(ana), ['One', 'Two'])
  assert.deepEqual(
    (await outgoing(world)).map(({ resentAt }) => resentAt),
    [null, null],
  )
})

test('an error in the words of the provider is tried again, and one without them is a doubt', async () => {
  await using world = await startChannelWorld()
  const { contactId, bot } = await startConversation(world)
  const ben = bot.addPerson()
  const toBen = await begin(world, ben)
  world.telegram.plan('sendMessage', faults.error)
  world.telegram.plan('sendMessage', faults.bareError)
  await reply(world, contactId, 'refused')
  await until(async () => (await outgoing(world))[0]?.partAttempts === 1, 'it was not tried')
  await reply(world, toBen, 'nobody knows')
  await untilSent(world, 2)
  const marked = (await outgoing(world)).map(({ body, resentAt }) => [body, resentAt !== null])
  assert.deepEqual(marked.toSorted(), [
    ['nobody knows', true],
    ['refused', false],
  ])
})

test('a resend that certainly did not arrive was none: it leaves when it can, marked once, and never a third time', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  await reply(world, contactId, 'One')
  await untilInDoubt(world)
  await world.telegram.goAway()
  await until(async () => (await outgoing(world))[0]?.partAttempts === 2, 'it did not try to leave once more', 30_000)
  const [waiting] = await outgoing(world)
  assert.ok(waiting?.doubtSince, 'it is still in doubt')
  assert.deepEqual([waiting.resentAt, waiting.errorCategory === 'in_doubt'], [null, false])
  world.telegram.plan('sendMessage', tooMany(1))
  await world.telegram.comeBack()
  await untilSent(world, 1)
  assert.deepEqual(texts(ana), ['One', 'One'])
  const [one] = await outgoing(world)
  assert.ok(one?.resentAt, 'it says that it may have arrived twice')
  assert.equal(one.doubtSince, null)
})

test('what the bot answers to the next message waits for what is in doubt, and leaves after it', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  const handed = await world.owner.call('POST', `/api/conversations/${contactId}/handback`, { answersOld: false })
  assert.equal(handed.status, 200, JSON.stringify(handed.body))
  world.telegram.plan('sendMessage', faults.cut, { isDone: true })
  ana.write('Hello')
  await untilInDoubt(world)
  ana.write('Thank you')
  await until(async () => (await outgoing(world)).length === 2, 'the bot did not answer')
  assert.equal(ana.shown.length, 1, 'the answer waits')
  await untilSent(world, 2)
  const [first, again, second] = texts(ana)
  assert.deepEqual([first === again, second === first, ana.shown.length], [true, false, 3])
})

test('ten messages that the provider refuses in a row are the fault of the messages: the channel goes on', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana, channel, bot } = await startConversation(world)
  const ben = bot.addPerson()
  const toBen = await begin(world, ben)
  world.telegram.plan('sendMessage', faults.badRequest, { times: 12 })
  for (let n = 0; n < 12; n += 1) await reply(world, contactId, `refused ${n}`)
  await until(
    async () => (await outgoing(world)).every(({ errorCategory }) => errorCategory === 'provider_error'),
    'not all were refused',
  )
  const { failuresInRow } = await world.app.db
    .selectFrom('receivers')
    .select('failuresInRow')
    .where('id', '=', channel.id as ChannelId)
    .executeTakeFirstOrThrow()
  assert.equal(failuresInRow, 0)
  await reply(world, toBen, 'arrives')
  await untilSent(world, 1)
  assert.deepEqual([texts(ana), texts(ben)], [[], ['arrives']])
  assert.equal((await readChannel(world.owner, channel.id)).state, 'working')
})
