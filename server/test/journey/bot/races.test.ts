import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { handBack, reply, takeOver } from '../../../src/journey/conversations/take-over.ts'
import {
  contactOf,
  conversation,
  editCampaign,
  holdTurnsBack,
  makeCampaign,
  makeTurnsDue,
  outcomes,
  startModel,
  untilAnswered,
  write,
} from '../../helpers/bots.ts'
import { startDelivering } from '../../helpers/deliveries.ts'
import type { TestApp } from '../../helpers/harness.ts'

const noDelivery = { wakeDelivery: () => {} }

async function startWorld() {
  const started = new AsyncDisposableStack()
  const model = started.use(await startModel())
  const app = started.use(await startDelivering())
  const account = await app.makeAccount()
  const { campaignId } = await makeCampaign(app, account, {
    ...model.file,
    isDefault: true,
    handoverText: 'A person comes.',
  })
  return { model, app, account, campaignId, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

const ref = async (app: TestApp, accountId: `acc_${string}`) => ({ accountId, contactId: await contactOf(app) })

test('a message that arrives while the answer is generated is answered together with the first one', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  await write(account, 'Do you deliver')
  await makeTurnsDue(app.db)
  await model.next()
  await write(account, 'on Sundays?')
  await makeTurnsDue(app.db)
  const second = await model.next()
  assert.match(second.text, /Do you deliver\non Sundays\?/)
  second.answer('Yes, we do.')
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), ['contact: Do you deliver', 'contact: on Sundays?', 'bot: Yes, we do.'])
})

test('a contact who keeps writing is answered after two discarded answers, and newer messages after that', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  await write(account, 'one')
  for (const next of ['two', 'three']) {
    await makeTurnsDue(app.db)
    const question = await model.next()
    await write(account, next)
    question.answer('never sent')
  }
  await makeTurnsDue(app.db)
  const third = await model.next()
  await write(account, 'four')
  await sleep(1_200) // a heartbeat sees it, and does not interrupt
  third.answer('To three of them.')
  await makeTurnsDue(app.db)
  const fourth = await model.next()
  assert.match(fourth.text, /four/)
  assert.doesNotMatch(fourth.text.split('four')[0]?.slice(-10) ?? '', /three\n/)
  fourth.answer('To the fourth.')
  await untilAnswered(app)
  const replies = (await conversation(app)).filter((text) => text.startsWith('bot'))
  assert.deepEqual(replies, ['bot: To three of them.', 'bot: To the fourth.'])
})

test('when a person writes while the bot generates an answer, the bot is interrupted and sends nothing', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  await write(account, 'Is my parcel lost?')
  await makeTurnsDue(app.db)
  const question = await model.next()
  await reply({ db: app.db, ...noDelivery }, await ref(app, account.accountId), { body: 'I am looking for it.' })
  await untilAnswered(app)
  question.answer('Your parcel is lost.')
  await sleep(300)
  assert.deepEqual(await conversation(app), ['contact: Is my parcel lost?', 'person: I am looking for it.'])
  await write(account, 'Thank you!')
  await untilAnswered(app)
  assert.equal((await conversation(app)).length, 3, 'and it stays silent')
})

test('a takeover at the moment of the answer: the answer is sent before it or never', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  await write(account, 'Hm?')
  await makeTurnsDue(app.db)
  const question = await model.next()
  question.answer('An answer.')
  const taken = await takeOver(app.db, await ref(app, account.accountId))
  assert.equal(taken.handler, 'person')
  await untilAnswered(app)
  const before = await conversation(app)
  await sleep(300)
  assert.deepEqual(await conversation(app), before)
})

test('after a conversation is handed back, old messages stay unanswered and new ones are answered', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  await holdTurnsBack(app)
  await write(account, 'First')
  await takeOver(app.db, await ref(app, account.accountId))
  await write(account, 'Second')
  await untilAnswered(app)
  await Promise.all([handBack(app.db, await ref(app, account.accountId)), sleep(0)])
  await write(account, 'Third')
  await makeTurnsDue(app.db)
  const question = await model.next()
  assert.doesNotMatch(question.text, /First|Second/)
  question.answer('To the third.')
  await untilAnswered(app)
  const replies = (await conversation(app)).filter((text) => text.startsWith('bot'))
  assert.deepEqual(replies, ['bot: To the third.'])
})

test('a conversation that is handed back with answersOld gets one answer to its old messages', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  await holdTurnsBack(app)
  await write(account, 'First')
  await takeOver(app.db, await ref(app, account.accountId))
  await write(account, 'Second')
  await untilAnswered(app)
  await handBack(app.db, await ref(app, account.accountId), { answersOld: true })
  const question = await model.next()
  assert.match(question.text, /First\nSecond/)
  question.answer('To both.')
  await untilAnswered(app)
  assert.deepEqual((await conversation(app)).slice(2), ['bot: To both.'])
})

test('what a hand-back has set aside is answered when the conversation is handed back again with answersOld', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  await holdTurnsBack(app)
  await write(account, 'Before')
  const conversationRef = await ref(app, account.accountId)
  await reply({ db: app.db, ...noDelivery }, conversationRef, { body: 'By a person' })
  await write(account, 'Open')
  await handBack(app.db, conversationRef)
  await untilAnswered(app)
  await handBack(app.db, conversationRef, { answersOld: true })
  const question = await model.next()
  assert.match(question.text, /Open/)
  assert.doesNotMatch(question.text, /Before/)
  question.answer('To the open one.')
  await untilAnswered(app)
  assert.deepEqual((await conversation(app)).at(-1), 'bot: To the open one.')
})

test('a message at the moment of a hand-back counts as new and is answered once, or counts as old', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  await holdTurnsBack(app)
  await write(account, 'First')
  await takeOver(app.db, await ref(app, account.accountId))
  await Promise.all([handBack(app.db, await ref(app, account.accountId)), write(account, 'At the same moment')])
  const { handedBackSeq } = await app.db.selectFrom('conversations').select('handedBackSeq').executeTakeFirstOrThrow()
  await makeTurnsDue(app.db)
  if (handedBackSeq !== '2') (await model.next()).answer('Answered.')
  await untilAnswered(app)
  const bot = (await conversation(app)).filter((text) => text.startsWith('bot'))
  assert.deepEqual(bot, handedBackSeq === '2' ? [] : ['bot: Answered.'])
})

test('a campaign that is paused while the answer is generated does not send it', async () => {
  await using world = await startWorld()
  const { model, app, account, campaignId } = world
  await write(account, 'Hello?')
  await makeTurnsDue(app.db)
  const question = await model.next()
  await editCampaign(app, campaignId, { status: 'paused' })
  question.answer('Too late.')
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), ['contact: Hello?'])
  assert.deepEqual(await outcomes(app), ['skipped, campaign_paused'])
})

test('parallel copies of a message, and a reaction during a burst, cause no second answer', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  const copies = Array.from({ length: 8 }, () => write(account, 'Hello', { messageSid: 'the same' }))
  assert.equal(new Set(await Promise.all(copies)).size, 1)
  const { status } = await account.post('/incoming_custom_channel_message', {
    customData: { messageSid: 'r', fromId: 'ana', toId: 'shop', body: '👍' },
    messageType: 'reaction',
  })
  assert.equal(status, 200)
  await makeTurnsDue(app.db)
  const question = await model.next()
  question.answer('Hi!')
  await untilAnswered(app)
  await sleep(400)
  assert.deepEqual(await conversation(app), ['contact: Hello', 'contact: 👍', 'bot: Hi!'])
  assert.equal(model.asked.length, 1)
})

test('a contact who is erased while the bot generates an answer gets none, and nothing is left of them', async () => {
  await using world = await startWorld()
  const { model, app, account } = world
  await write(account, 'Forget me')
  await makeTurnsDue(app.db)
  const question = await model.next()
  await app.db.deleteFrom('contacts').execute()
  question.answer('Whom?')
  await untilAnswered(app)
  const { count } = await app.db
    .selectFrom('messages')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('author', '=', 'bot')
    .executeTakeFirstOrThrow()
  assert.equal(count, '0')
  assert.deepEqual(await app.db.selectFrom('contacts').selectAll().execute(), [])
})
