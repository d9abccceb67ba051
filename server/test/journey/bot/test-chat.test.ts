import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showBalance } from '../../../src/business/credits/history.ts'
import { conversation, editCampaign, startModel, untilAnswered, write } from '../../helpers/bots.ts'
import { startAgency } from '../../helpers/credits.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { shopEntries } from '../../helpers/knowledge.ts'
import { json, startModelServer } from '../../helpers/model-server.ts'
import { signIn } from '../../helpers/sessions.ts'
import { digestRows } from '../../helpers/tenants.ts'

async function openTaught(app: TestApp) {
  const shop = await app.makeAccount()
  return { shop, ...(await openFirst(app, shop)) }
}

async function openFirst(app: TestApp, shop: Parameters<typeof signIn>[1]) {
  const browser = await signIn(app, shop)
  const { id } = (await browser.call('GET', '/api/campaigns')).body.campaigns[0]
  const call = (method: string, rest: string, body?: unknown) =>
    browser.call(method, `/api/campaigns/${id}${rest}`, body)
  const teach = (question: string, answer: string) =>
    call('POST', '/entries', { questions: [question], answer, handsOver: false, isOn: true })
  const ask = async (question: string, over: object = {}) => (await call('POST', '/ask', { question, ...over })).body
  return { browser, id, call, teach, ask }
}

test('a process without a worker answers in the test chat with what was saved a moment ago, and keeps nothing of it', async () => {
  await using app = await sharedApp({ ROLE: 'api' })
  const { teach, ask } = await openTaught(app)
  await teach('Do you buy used bikes?', 'Yes, if it is in riding order.')
  await teach('When are you open?', 'From nine to five.')
  const first = await ask('would you buy my old bike')
  assert.deepEqual([first.decision, first.text, first.credits], ['answer', 'Yes, if it is in riding order.', 0])
  assert.equal(first.scores.length, 2)
  assert.ok(first.scores[0].score > first.scores[1].score)
  assert.deepEqual(first.sources, [first.scores[0].entryId])

  const before = await digestRows(app.db)
  const person = await ask('I want to talk to a person')
  assert.deepEqual([person.decision, person.engine, person.credits], ['handover', 'rule', 0])
  const greeted = await ask('Hello')
  assert.deepEqual([greeted.decision, greeted.credits], ['answer', 0])
  const miss = await ask('What is the capital of Peru?')
  assert.deepEqual([miss.decision, miss.credits], ['fallback', 0])
  assert.deepEqual(await digestRows(app.db), before)
})

test('the test chat says what an answer would cost where answers cost credits, and charges nothing', async () => {
  await using world = await startAgency()
  const { app, db } = world
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 5 })
  const { teach, ask } = await openFirst(app, sub)
  await teach('Do you buy used bikes?', 'Yes, if it is in riding order.')
  assert.deepEqual([(await ask('would you buy my old bike')).credits, (await ask('Hello')).credits], [1, 0])
  assert.equal((await showBalance(db, sub.accountId)).balance, 5)
})

test('thresholds can be tried before they are saved, and an offered entry can be picked', async () => {
  await using app = await sharedApp()
  const { teach, ask } = await openTaught(app)
  await teach('Do you buy used bikes?', 'Yes, we do.')
  const asked = 'do you buy used bikes'
  assert.equal((await ask(asked)).decision, 'answer')
  const offer = await ask(asked, { trial: { answerThreshold: 1, offerThreshold: 0.1 } })
  assert.equal(offer.decision, 'offer')
  const picked = await ask('1', { offered: offer.offered })
  assert.deepEqual([picked.decision, picked.text, picked.reason], ['answer', 'Yes, we do.', 'picked'])
  const rival = await openTaught(app)
  const foreign = await rival.ask('1', { offered: offer.offered })
  assert.notEqual(foreign.text, 'Yes, we do.')
})

test('a change says which unanswered questions it answers now, and a near entry is named', async () => {
  await using app = await sharedApp()
  const { teach, call } = await openTaught(app)
  const questions = ['is there parking', 'can i bring my dog']
  assert.deepEqual((await call('POST', '/retry', { questions })).body, { answered: [] })
  const { id } = (await teach('Is there parking?', 'Yes, behind the house.')).body
  assert.deepEqual((await call('POST', '/retry', { questions })).body, { answered: ['is there parking'] })
  const near = (entryId?: string) =>
    call('GET', `/near?question=${encodeURIComponent('Where can I park?')}${entryId ? `&entryId=${entryId}` : ''}`)
  assert.equal((await near()).body.near.question, 'Is there parking?')
  const own = (await near(id)).body
  assert.equal(own.near, null)
  assert.ok(own.own > 0.35)
})

test('what was taught in the app answers a contact, and the question that had no answer is then answered', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { shop, teach, call } = await openTaught(app)
  await write(shop, 'Do you buy used bikes?')
  await untilAnswered(app)
  const { groups } = (await call('GET', '/unanswered')).body
  assert.equal(groups[0].questions[0].question, 'Do you buy used bikes?')
  await teach(groups[0].questions[0].question, 'Yes, bring it by.')
  await call('POST', '/retry', { questions: ['Do you buy used bikes?'] })
  await write(shop, 'Do you buy used bikes?')
  await untilAnswered(app)
  assert.equal((await conversation(app)).at(-1), 'bot: Yes, bring it by.')
})

test('a model that fails is told as it is, and one account may ask a model only a few times a minute', async () => {
  await using model = await startModel()
  await using app = await sharedApp({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' })
  const { id, ask, call } = await openTaught(app)
  await editCampaign(app, id, { ...model.file, replyTimeoutSeconds: 1 })
  const failed = await ask('Do you ship?')
  assert.deepEqual([failed.decision, failed.text], ['failed', null])
  assert.match(failed.reason, /\S/)
  for (let n = 1; n < 20; n++) await call('POST', '/ask', { question: 'stop' })
  const refused = await call('POST', '/ask', { question: 'stop' })
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'RATE_LIMITED'])
})

test('a model gets as many entries as its connection has room for, and the test chat names the one it used, near or not', async () => {
  let reply = ''
  await using server = await startModelServer(() => reply)
  await using app = await sharedApp({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' })
  const { browser, call, ask } = await openTaught(app)
  const entries = Array.from({ length: 10 }, (_, n) => ({
    questions: [`What is product ${n}?`],
    answer: `Product ${n}: ${'oak and wool '.repeat(48)}`,
  }))
  await call('POST', '/import', { text: JSON.stringify(entries) })
  const own = { name: 'Local', kind: 'openai-compatible', baseUrl: `http://127.0.0.1:${server.port}/v1`, model: 'm' }
  const { id, version } = (await browser.call('POST', '/api/connections', own)).body
  const campaign = (await call('GET', '')).body
  assert.equal((await call('PATCH', '', { version: campaign.version, connectionId: id })).status, 200)
  const given = () =>
    [...(server.asked.at(-1)?.messages.at(-1)?.text ?? '').matchAll(/Question: (.*)/g)].map(([, q]) => q)

  reply = json('It is made of oak.', ['k10'])
  const answer = await ask('Wann haben Sie am Samstag auf?')
  assert.equal(given().length, 10)
  const used = answer.scores.find(({ entryId }: { entryId: string }) => answer.sources.includes(entryId))
  assert.deepEqual([answer.decision, answer.sources.length, used.question], ['answer', 1, given()[9]])
  await browser.call('PATCH', `/api/connections/${id}`, { version, promptTokens: 1_500 })
  await ask('What is product 7?')
  assert.ok(given().length > 3 && given().length < 10, `${given().length} entries`)
  assert.equal(given()[0], 'What is product 7?')
})

test('many questions at once are answered one after the other, or refused with 429', async () => {
  await using app = await sharedApp()
  const { call } = await openTaught(app)
  const text = JSON.stringify(shopEntries)
  assert.equal((await call('POST', '/import', { text })).status, 200)
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => call('POST', '/ask', { question: 'When are you open?' })),
  )
  const statuses = new Set(answers.map(({ status }) => status))
  assert.ok(statuses.has(200) && statuses.has(429) && statuses.size === 2, [...statuses].join())
})
