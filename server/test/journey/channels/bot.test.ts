import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdTurnsBack, makeCampaign, makeTurnsDue, startModel, untilAnswered, write } from '../../helpers/bots.ts'
import { makeSubaccount } from '../../helpers/credits.ts'
import { saveUrl } from '../../helpers/deliveries.ts'
import { png } from '../../helpers/media-files.ts'
import { connectBot, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { startTalk } from '../../helpers/providers/talk.ts'
import { putFile, untilShown } from '../../helpers/providers/telegram.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { signIn } from '../../helpers/sessions.ts'
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
  const { campaignId } = await makeCampaign(talk.app, talk.shop, {
    greetingText: 'Welcome to the spring sale.',
    introduction: null,
  })
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
  await makeCampaign(app, shop, {
    ...{ greetingText: 'On the bot.', introduction: null },
    channels: [channel.id],
    isDefault: true,
  })
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

test('what cannot be answered asks for no credits', async () => {
  await using world = await startChannelWorld()
  const { app, telegram } = world
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId)
  const bot = telegram.addBot()
  await connectBot(await signIn(app, sub), bot)
  await holdTurnsBack(app)
  const [ana, ben] = [bot.addPerson(), bot.addPerson()]
  ana.write('Do you deliver?')
  ana.block()
  ben.send({ document: { ...putFile(bot, 'look', png), mime_type: 'image/png' } })
  const areThere = async () => {
    const stopped = await app.db.selectFrom('contactChannels').selectAll().where('stopScope', '=', 'all').execute()
    return stopped.length === 1 && (await app.db.selectFrom('turns').selectAll().execute()).length === 2
  }
  await until(areThere, 'the message, the block and the file did not come')
  await untilAnswered(app)
  const reasons = await app.db.selectFrom('answers').select('reason').orderBy('reason').execute()
  assert.deepEqual(
    reasons,
    [{ reason: 'file_only' }, { reason: 'stopped' }],
    'there are no credits, and nobody says so',
  )
})

test('who answers our word with the same word is answered: the provider says what an echo is', async () => {
  await using talk = await startTalk({ settings: { greetingText: 'Hello' } })
  assert.equal((await talk.ask('Hello')).text, 'Hello')
  assert.equal((await talk.ask('Hello')).text, 'Hello')
})

const hours: [string, string][] = [
  ['What are your opening hours on weekdays?', 'From 9 to 6.'],
  ['What are your opening hours at the weekend?', 'From 10 to 4.'],
]
/** So that a question that is near is always offered. */
const offering = { answerThreshold: 1, offerThreshold: 0.2, margin: 1 }

/** Asks so that both are offered; returns the message with its buttons. */
async function startOffer() {
  const talk = await startTalk({ settings: { ...offering, fallbackText: 'No idea.' }, knowledge: hours })
  const offer = await talk.ask('opening hours?')
  const buttons = (offer.markup?.inline_keyboard ?? []).flat() as { text: string; callback_data: string }[]
  const weekdays = buttons.find(({ text }) => text.includes('weekdays'))?.callback_data ?? ''
  return { ...talk, offer, buttons, weekdays, [Symbol.asyncDispose]: () => talk[Symbol.asyncDispose]() }
}

test('an offer has a button for each entry, and its numbered text is what is stored', async () => {
  await using talk = await startOffer()
  const { offer, buttons, app } = talk
  assert.match(offer.text, /^Did you mean one of these\? Answer with its number\.\n1\. What are .*\n2\. What are /)
  assert.deepEqual(buttons.map(({ text }) => text).sort(), [
    'What are your opening hours at the…',
    'What are your opening hours on weekdays?',
  ])
  assert.ok(buttons.every((button) => Buffer.byteLength(button.callback_data) <= 64))
  const stored = await app.db.selectFrom('messages').select('body').where('author', '=', 'bot').execute()
  assert.deepEqual(stored, [{ body: offer.text }])
})

test('a tap on a button is answered with its entry, and Telegram is told that it was received', async () => {
  await using talk = await startOffer()
  const { ana, offer, weekdays, telegram } = talk
  ana.tap(offer, weekdays)
  await talk.untilDone(2)
  const [, answer] = await untilShown(ana, 2)
  assert.equal(answer?.text, 'From 9 to 6.')
  assert.deepEqual((await talk.decisions()).made, ['offered, not near enough', 'answered, picked'])
  await until(() => telegram.calls.some(({ method }) => method === 'answerCallbackQuery'), 'the tap was not confirmed')
})

test('a button of an older message still counts, and its number is still read where it is written', async () => {
  await using talk = await startOffer()
  const { ana, offer, weekdays } = talk
  assert.equal((await talk.ask('something else')).text, 'No idea.')
  ana.tap(offer, weekdays)
  await talk.untilDone(3)
  assert.equal((await untilShown(ana, 3)).at(-1)?.text, 'From 9 to 6.')
})

test('what was never offered to this person is not answered by a tap', async () => {
  await using talk = await startOffer()
  const { ana, bot, offer, weekdays, app } = talk
  const ben = bot.addPerson({ first_name: 'Ben' })
  // Ben sends what only Ana was offered; his program says that it is below a message of his own chat.
  ben.tap({ ...offer, text: 'x', markup: undefined }, weekdays)
  await talk.untilDone(2)
  assert.equal((await untilShown(ben, 1))[0]?.text, 'No idea.')
  // Ana's program names a message that had no such button.
  await app.db.updateTable('conversations').set({ offered: [] }).execute()
  ana.tap({ ...offer, id: offer.id - 1, markup: undefined }, weekdays)
  await talk.untilDone(3)
  assert.equal((await untilShown(ana, 2))[1]?.text, 'No idea.')
})

test('the words on a button are ours: neither an opt-out nor a wish for a person is read from them', async () => {
  const knowledge: [string, string][] = [
    ['I want to talk to a person', 'Come to the shop.'],
    ['Please stop writing to me', 'Write STOP.'],
  ]
  await using talk = await startTalk({ settings: offering, knowledge })
  const { ana, app } = talk
  // As if both had been offered: nobody asks so that they would be, because the rules come first.
  await talk.ask('Hello')
  const ids = await app.db.selectFrom('entries').select('id').orderBy('createdAt').execute()
  const keyboard = (title: string, id: string) => ({ inline_keyboard: [[{ text: title, callback_data: id }]] })
  for (const [n, [question]] of knowledge.entries()) {
    const [shown] = ana.shown
    const id = ids[n]?.id ?? ''
    assert.ok(shown)
    await app.db
      .updateTable('conversations')
      .set({ offered: ids.map((one) => one.id) as never })
      .execute()
    ana.tap({ ...shown, markup: keyboard(question, id) }, id)
    await talk.untilDone(n + 2)
  }
  assert.deepEqual(
    (await untilShown(ana, 3))
      .slice(1)
      .map(({ text }) => text)
      .sort(),
    ['Come to the shop.', 'Write STOP.'],
  )
  const { optedOutAt } = await app.db.selectFrom('contacts').select('optedOutAt').executeTakeFirstOrThrow()
  assert.equal(optedOutAt, null)
})
