import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { handBack, reply, switchOff } from '../../../src/journey/conversations/take-over.ts'
import {
  contactOf,
  conversation,
  defaultCampaign,
  editCampaign,
  holdTurnsBack,
  makeCampaign,
  outcomes,
  untilAnswered,
  write,
} from '../../helpers/bots.ts'
import { passTime, saveUrl, startDelivering } from '../../helpers/deliveries.ts'
import { sharedApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'

const noDelivery = { wakeDelivery: () => {} }

async function startWorld(besides?: TestApp) {
  const app = await startDelivering({}, besides)
  const account = await app.makeAccount()
  await editCampaign(app, await defaultCampaign(app, account), { fallbackText: 'I do not know.' })
  const ref = async (fromId?: string) => ({ accountId: account.accountId, contactId: await contactOf(app, fromId) })
  return { app, account, ref, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test('a burst is answered once, after the quiet time', async () => {
  await using world = await startWorld()
  const { app, account } = world
  await editCampaign(app, await defaultCampaign(app, account), { quietSeconds: 300 })
  await write(account, 'Hello') // its answer stores the debounce times in the conversation
  await untilAnswered(app)
  for (const text of ['Hi', 'hello?', 'are you there?', 'what is the meaning of life']) await write(account, text)
  await sleep(500)
  assert.equal((await conversation(app)).length, 6, 'no answer while the contact writes')
  await untilAnswered(app)
  assert.deepEqual((await conversation(app)).slice(6), ['bot: I do not know.'])
})

test('of 500 messages of one contact within seconds all are stored, at most two answered, and others are served meanwhile', async () => {
  await using world = await startWorld()
  const { app, account } = world
  await Promise.all(Array.from({ length: 500 }, (_, n) => write(account, `Message ${n}`)))
  await write(account, 'Hello', { fromId: 'ben' })
  await untilAnswered(app)
  const texts = await conversation(app)
  assert.equal(texts.filter((text) => text.startsWith('contact')).length, 500)
  assert.ok(texts.filter((text) => text.startsWith('bot')).length <= 2)
  assert.equal((await conversation(app, 'ben')).length, 2)
})

test('a request for a person is handed over with one reply, and the bot stays silent until it is handed back', async () => {
  await using world = await startWorld()
  const { app, account, ref } = world
  await write(account, 'I want to talk to a human please')
  await untilAnswered(app)
  await write(account, 'Hello?')
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), [
    'contact: I want to talk to a human please',
    'bot: Thank you. A person will answer you here as soon as possible.',
    'contact: Hello?',
  ])
  const state = await app.db.selectFrom('conversations').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([state.handler, state.handlerReason, state.waitingReason], ['person', 'requested', 'person'])
  assert.ok(state.waitingSince)
  await passTime(app.db, '2 days')
  await write(account, 'Still nobody?')
  await untilAnswered(app)
  assert.equal((await conversation(app)).length, 4, 'no automatic resume after a request for a person')
  await handBack(app.db, await ref())
  await write(account, 'Hello')
  await untilAnswered(app)
  assert.equal((await conversation(app)).at(-1), 'bot: Hello! How can I help you?')
})

test('a day after the last message of a person, the bot answers new messages', async () => {
  await using world = await startWorld()
  const { app, account, ref } = world
  await holdTurnsBack(app)
  await write(account, 'Question')
  await reply({ db: app.db, ...noDelivery }, await ref(), { body: 'An answer by a person.' })
  await write(account, 'Hello')
  await untilAnswered(app)
  assert.equal((await conversation(app)).length, 3)
  await passTime(app.db, '25 hours')
  await write(account, 'Hello')
  await untilAnswered(app)
  assert.deepEqual((await conversation(app)).slice(3), ['contact: Hello', 'bot: Hello! How can I help you?'])
})

test('the bot writes neither to a contact who opted out nor to one it is switched off for', async () => {
  await using world = await startWorld()
  const { app, account, ref } = world
  await holdTurnsBack(app)
  await write(account, 'STOP')
  await untilAnswered(app)
  await write(account, 'Hello')
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), ['contact: STOP', 'contact: Hello'])
  await write(account, 'Hello', { fromId: 'ben' })
  await switchOff(app.db, await ref('ben'))
  await untilAnswered(app)
  await write(account, 'Hello', { fromId: 'ben' })
  await untilAnswered(app)
  assert.deepEqual(await conversation(app, 'ben'), ['contact: Hello', 'contact: Hello'])
})

test('an account whose bot is off stores messages and sends no reply, not even one that was owed before', async () => {
  await using world = await startWorld()
  const { app, account } = world
  await holdTurnsBack(app)
  await write(account, 'Hello')
  await app.db.updateTable('accounts').set({ botActive: false }).execute()
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), ['contact: Hello'])
  assert.deepEqual(await outcomes(app), ['skipped, bot_off'])
})

test('after an outage a stale message is handed over to a person instead of answered', async () => {
  await using api = await sharedApp()
  const early = await api.makeAccount()
  await write(early, 'Hello')
  await passTime(api.db, '20 minutes')
  await write(early, 'Anyone?')
  await using late = await startDelivering({}, api)
  await untilAnswered(late)
  const texts = await conversation(late)
  assert.deepEqual(texts.slice(2), ['bot: Thank you. A person will answer you here as soon as possible.'])
  assert.deepEqual(await outcomes(late), ['handed over, stale'])
})

test('messages of our own that the platform sends back are not answered', async () => {
  await using world = await startWorld()
  const { app, account } = world
  const messageSid = await write(account, 'Hello')
  await untilAnswered(app)
  const [greeting] = (await conversation(app)).slice(-1)
  await write(account, greeting?.slice('bot: '.length) ?? '')
  await untilAnswered(app)
  const own = await app.db.selectFrom('messages').select('id').where('author', '=', 'bot').executeTakeFirstOrThrow()
  await write(account, 'anything', { messageSid: own.id })
  await write(account, 'Hello', { fromId: 'shop', toId: 'shop' })
  await untilAnswered(app)
  assert.deepEqual((await outcomes(app)).sort(), [
    'answered, greeting',
    'skipped, echo',
    'skipped, echo',
    'skipped, self',
  ])
  assert.ok(messageSid)
})

test('two bots that talk to each other stop after thirty replies, and other contacts are still answered', async () => {
  const world = await startWorld()
  await using app = world.app
  const { account } = world
  let answered = 0
  await using receiver = await startReceiver(async (_request, response) => {
    answered += 1
    await write(account, `And what about number ${answered}?`).catch(() => {}) // the last one, after the end
    response.end() // while we wait for it
  })
  await saveUrl(app, account, receiver.url)
  await write(account, 'Hello')
  while (!(await outcomes(app)).includes('skipped, loop')) {
    await untilAnswered(app)
    await sleep(50)
  }
  await untilAnswered(app)
  const replies = (await conversation(app)).filter((text) => text.startsWith('bot'))
  assert.equal(replies.length, 30)
  await write(account, 'Hello', { fromId: 'ben' })
  await untilAnswered(app)
  assert.equal((await conversation(app, 'ben'))[1], 'bot: Hello! How can I help you?')
})

test('at its daily limit the bot stops answering a conversation, and goes on when the day has passed', async () => {
  await using world = await startWorld()
  const { app, account } = world
  await editCampaign(app, await defaultCampaign(app, account), { maxRepliesPerConversationPerDay: 1 })
  for (const text of ['Hello', 'Hello again?']) {
    await write(account, text)
    await untilAnswered(app)
  }
  assert.deepEqual(await outcomes(app), ['answered, greeting', 'skipped, daily_limit'])
  await passTime(app.db, '25 hours')
  await write(account, 'Hello')
  await untilAnswered(app)
  assert.equal((await conversation(app)).at(-1), 'bot: Hello! How can I help you?')
})

test('the miss that calls a person says so, those before and after it do not, and the bot goes on answering', async () => {
  await using world = await startWorld()
  const { app, account } = world
  const waits: (string | null)[] = []
  for (const question of ['Who won the world cup in 1954?', 'And in 1958?', 'And in 1962?']) {
    await write(account, question)
    await untilAnswered(app)
    const state = await app.db.selectFrom('conversations').select('waitingReason').executeTakeFirstOrThrow()
    waits.push(state.waitingReason)
  }
  assert.deepEqual(waits, [null, 'misses', 'misses'])
  const said = (await conversation(app)).filter((text) => text.startsWith('bot'))
  const called = 'bot: Thank you. A person will answer you here as soon as possible.'
  assert.deepEqual(said, ['bot: I do not know.', called, 'bot: I do not know.'])
  await write(account, 'Hello')
  await untilAnswered(app)
  assert.equal((await conversation(app)).at(-1), 'bot: Hello! How can I help you?')
  const unanswered = await app.db.selectFrom('unanswered').select(['question', 'times']).orderBy('question').execute()
  assert.deepEqual(unanswered, [
    { question: 'and in 1958', times: 1 },
    { question: 'and in 1962', times: 1 },
    { question: 'who won the world cup in 1954', times: 1 },
  ])
})

test('a message is routed to the campaign it names: a paused one does not answer, an unknown one falls back to the default', async () => {
  await using world = await startWorld()
  const { app, account } = world
  const sales = await makeCampaign(app, account, { greetingText: 'Sales here.' })
  const paused = await makeCampaign(app, account, { status: 'paused', greetingText: 'Never.' })
  await greet(account, 'a', sales.campaignId)
  await greet(account, 'b', paused.campaignId)
  await greet(account, 'c', 'cmp_of_somebody_else')
  await greet(account, 'd')
  await untilAnswered(app)
  await greet(account, 'a') // stays where it is
  await untilAnswered(app)
  const texts = await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => (await conversation(app, name)).slice(1)))
  const usual = 'bot: Hello! How can I help you?'
  assert.deepEqual(texts, [['bot: Sales here.', 'contact: Hello', 'bot: Sales here.'], [], [usual], [usual]])
  const routings = await app.db
    .selectFrom('answers')
    .select('routing')
    .orderBy('contactId')
    .orderBy('fromSeq')
    .execute()
  assert.deepEqual(
    routings.map(({ routing }) => routing),
    ['explicit', 'assigned', 'explicit', 'unknown_campaign', 'default'],
  )
})

async function greet(account: TestAccount, fromId: string, campaignId?: string): Promise<void> {
  await write(account, 'Hello', { fromId, campaignId })
}
