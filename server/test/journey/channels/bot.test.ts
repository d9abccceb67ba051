import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdTurnsBack, makeCampaign, makeTurnsDue, startModel, untilAnswered, write } from '../../helpers/bots.ts'
import { saveUrl } from '../../helpers/deliveries.ts'
import { png } from '../../helpers/media-files.ts'
import { startTalk } from '../../helpers/providers/talk.ts'
import { putFile, untilShown } from '../../helpers/providers/telegram.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

const greeting = 'Hello! How can I help you?'

test('whoever opens the chat with a tap on Start is greeted', async () => {
  await using talk = await startTalk()
  assert.equal((await talk.ask('/start')).text, greeting)
  assert.equal((await talk.ask('/start from_the_poster')).text, greeting, 'whatever the link said')
  const routings = await talk.app.db.selectFrom('answers').select('routing').execute()
  assert.deepEqual(
    routings.map(({ routing }) => routing),
    ['default', 'default'],
  )
})

test('a link that names a campaign leads to it, and the conversation stays there', async () => {
  await using talk = await startTalk()
  const { campaignId } = await makeCampaign(talk.app, talk.shop, { greetingText: 'Welcome to the spring sale.' })
  assert.equal((await talk.ask(`/start ${campaignId}`)).text, 'Welcome to the spring sale.')
  assert.equal((await talk.ask('Hello')).text, 'Welcome to the spring sale.')
  const answers = await talk.app.db.selectFrom('answers').select(['routing', 'campaignId']).orderBy('fromSeq').execute()
  assert.deepEqual(answers, [
    { routing: 'explicit', campaignId },
    { routing: 'assigned', campaignId },
  ])
})

test('a campaign answers on the built-in channels that it names, and an unlabelled message is not one of theirs', async () => {
  await using receiver = await startReceiver()
  await using talk = await startTalk()
  const { app, shop, channel } = talk
  await saveUrl(app, shop, receiver.url)
  await makeCampaign(app, shop, { greetingText: 'On the bot.', channels: [channel.id], isDefault: true })
  assert.equal((await talk.ask('Hello')).text, 'On the bot.')
  // The same contact writes on the shop's own platform, without a label.
  await app.db.updateTable('contacts').set({ externalId: 'ana' }).execute()
  await write(shop, 'Hello')
  await untilAnswered(app)
  assert.deepEqual((await talk.decisions()).made, ['answered, greeting', 'skipped, no_campaign'])
})

test('an unlabelled message of the own platform is answered there, whatever channel the contact used before', async () => {
  await using receiver = await startReceiver()
  await using talk = await startTalk()
  const { app, shop, ana } = talk
  await saveUrl(app, shop, receiver.url)
  await talk.ask('Hello')
  await app.db.updateTable('contacts').set({ externalId: 'ana' }).execute()
  await write(shop, 'Thank you')
  await untilAnswered(app)
  const events = () => receiver.requests.map(({ body }) => JSON.parse(String(body)).body)
  await until(() => events().length === 1, 'nothing was posted')
  assert.deepEqual(events(), ['You are welcome!'])
  assert.equal((await talk.ask('Hello')).text, greeting, 'and the next one of the phone on the phone')
  assert.equal(ana.shown.length, 2)
})

test('a file without a word is left to a person; one with a caption is answered', async () => {
  await using talk = await startTalk()
  const { ana, bot } = talk
  ana.send({ document: { ...putFile(bot, 'look', png), mime_type: 'image/png' } })
  await talk.untilDone(1)
  assert.deepEqual(await talk.decisions(), { made: ['skipped, file_only'], waiting: 'file_only' })
  assert.equal(ana.shown.length, 0)
  ana.send({ document: { ...putFile(bot, 'look', png), mime_type: 'image/png' }, caption: 'Hello' })
  await talk.untilDone(2)
  assert.equal((await untilShown(ana, 1))[0]?.text, greeting)
})

test('a model is told of a file without a word', async () => {
  await using model = await startModel()
  await using talk = await startTalk({ settings: model.file })
  const { ana, bot, app } = talk
  ana.send({ document: { ...putFile(bot, 'look', png), mime_type: 'image/png' } })
  await talk.untilKept(1)
  await makeTurnsDue(app.db)
  const question = await model.next()
  assert.match(question.text, /\[image\]/)
  question.answer('What a picture.')
  assert.equal((await untilShown(ana, 1))[0]?.text, 'What a picture.')
})

test('whoever has blocked the bot since costs no answer of a model, and waits for a person', async () => {
  await using model = await startModel()
  await using talk = await startTalk({ settings: model.file })
  const { ana, app } = talk
  await holdTurnsBack(app)
  ana.write('Hello?')
  ana.block()
  await talk.untilKept(1)
  const isStopped = async () =>
    (await app.db.selectFrom('contactChannels').select('stopScope').executeTakeFirst())?.stopScope === 'all'
  await until(isStopped, 'the block did not come')
  await talk.untilDone(1)
  assert.deepEqual(await talk.decisions(), { made: ['skipped, stopped'], waiting: 'stopped' })
  assert.equal(model.asked.length, 0)
})

test('who answers our word with the same word is answered: the provider says what an echo is', async () => {
  await using talk = await startTalk({ settings: { greetingText: 'Hello' } })
  assert.equal((await talk.ask('Hello')).text, 'Hello')
  assert.equal((await talk.ask('Hello')).text, 'Hello')
})
