import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilAnswered } from '../../helpers/bots.ts'
import { connectBot, readChannel, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { untilShown } from '../../helpers/providers/telegram.ts'
import { until } from '../../helpers/until.ts'

test('a person who writes to the bot from a phone is answered there', async () => {
  await using world = await startChannelWorld()
  const { telegram, app, owner } = world
  const bot = telegram.addBot('shop_bot')
  const ana = bot.addPerson({ first_name: 'Ana', username: 'ana' })
  const channel = await connectBot(owner, bot)
  assert.deepEqual(
    [channel.state, channel.name, channel.address, channel.receivingBy],
    ['working', 'The shop', '@shop_bot', 'poll'],
  )
  ana.write('Hello')
  await until(async () => (await app.db.selectFrom('turns').selectAll().execute()).length > 0, 'no message came')
  await untilAnswered(app)
  const [answer] = await untilShown(ana, 1)
  const text = 'I am the automatic assistant.\n\nHello! How can I help you?'
  assert.equal(answer?.text, text, 'it says what it is')
  const messages = await app.db.selectFrom('messages').select(['direction', 'body', 'channel']).orderBy('seq').execute()
  assert.deepEqual(messages, [
    { direction: 'incoming', body: 'Hello', channel: channel.id },
    { direction: 'outgoing', body: text, channel: channel.id },
  ])
  await until(
    async () => (await readChannel(owner, channel.id)).checks.every(({ state }) => state === 'done'),
    'the checks are not green',
  )
})
