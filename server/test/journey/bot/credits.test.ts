import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { takeOver } from '../../../src/journey/conversations/take-over.ts'
import { contactOf, conversation, makeTurnsDue, outcomes, untilAnswered, write } from '../../helpers/bots.ts'
import { passTime, saveUrl } from '../../helpers/deliveries.ts'
import { startMeteredBot } from '../../helpers/metered-bot.ts'
import { fail, startModelServer } from '../../helpers/model-server.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

test('ten turns at once on a balance of 1: one answer, one charge, nine parked; a grant of 9: nine answers', async () => {
  await using world = await startMeteredBot()
  const { app, db, model, account, balance, grant } = world
  await grant(1)
  const names = Array.from({ length: 10 }, (_, n) => `contact ${n}`)
  for (const fromId of names) await write(account, 'A question', { fromId })
  await makeTurnsDue(db)
  const first = await model.next()
  await untilParked(db, 9)
  assert.deepEqual(await balance(), [1, 1])
  assert.equal(model.asked.length, 1, 'no other turn calls the model')
  first.answer('Answer 0.')
  await untilCount(db, 1)
  assert.deepEqual(await balance(), [0, 0])
  const waiting = await db
    .selectFrom('conversations')
    .select('waitingReason')
    .where('waitingReason', '=', 'no_credits')
    .execute()
  assert.equal(waiting.length, 9)
  await sleep(400)
  assert.equal(model.asked.length, 1)

  await grant(9)
  for (let n = 1; n < 10; n += 1) (await model.next()).answer(`Answer ${n}.`)
  await untilAnswered(app)
  assert.deepEqual(await balance(), [0, 0])
  assert.deepEqual(await outcomes(app), Array(10).fill('answered, the model answers'))
  const still = await db
    .selectFrom('conversations')
    .select('waitingReason')
    .where('waitingReason', 'is not', null)
    .execute()
  assert.deepEqual(still, [])
  const usage = await db.selectFrom('ledger').select('id').where('kind', '=', 'usage').execute()
  assert.equal(usage.length, 10)
})

test('a turn that is parked until it is stale is handed over with noCreditText, and costs nothing', async () => {
  await using world = await startMeteredBot()
  const { app, db, model, account, balance } = world
  await write(account, 'A question')
  await makeTurnsDue(db)
  await untilParked(db, 1)
  await passTime(db, '16 minutes')
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), ['contact: A question', 'bot: Later.'])
  assert.deepEqual(await outcomes(app), ['handed over, no_credits'])
  assert.deepEqual([model.asked.length, ...(await balance())], [0, 0, 0])
})

test('a request for a person is recognized without credits, and is free', async () => {
  await using world = await startMeteredBot()
  const { app, account, balance } = world
  await write(account, 'I want to speak to a human')
  await untilAnswered(app)
  assert.deepEqual(await outcomes(app), ['handed over, asked for a person'])
  assert.deepEqual(await balance(), [0, 0])
})

test('an answer that is discarded, or whose conversation is taken over, costs nothing and holds no credits', async () => {
  await using world = await startMeteredBot({ handoverText: null })
  const { app, db, sub, model, account, balance, grant } = world
  await grant(5)
  await write(account, 'One')
  await makeTurnsDue(db)
  const first = await model.next()
  assert.deepEqual(await balance(), [5, 1])
  await write(account, 'Two')
  first.answer('Discarded.')
  await makeTurnsDue(db)
  const second = await model.next()
  assert.deepEqual(await balance(), [5, 1], 'generated again, held once')
  second.answer('Given.')
  await untilAnswered(app)
  assert.deepEqual(await balance(), [4, 0])

  await write(account, 'Three')
  await makeTurnsDue(db)
  await model.next()
  assert.deepEqual(await balance(), [4, 1])
  await takeOver(db, { accountId: sub.accountId, contactId: await contactOf(app) })
  assert.deepEqual(await balance(), [4, 0])
})

for (const [failure, status] of [
  ['for good', 401],
  ['in every attempt', 500],
] as const) {
  test(`an answer of the engine that fails ${failure} is free, and holds no credits in the end`, async () => {
    await using server = await startModelServer(() => fail(status))
    await using world = await startMeteredBot({ provider: { baseUrl: `http://127.0.0.1:${server.port}/v1` } })
    const { app, db, account, balance, grant } = world
    await grant(5)
    await write(account, 'A question')
    await untilAnswered(app, 40_000)
    assert.ok(server.asked.length > 0)
    assert.deepEqual(await outcomes(app), ['handed over, engine_error'])
    assert.deepEqual(await balance(), [5, 0])
    assert.deepEqual(await db.selectFrom('ledger').select('id').where('kind', '=', 'usage').execute(), [])
  })
}

test('a fallback and a greeting of the built-in engine are free, an answer is not', async () => {
  await using world = await startMeteredBot({ engine: 'builtin', greetingText: 'Hi.', fallbackText: 'No idea.' })
  const { app, account, balance, grant } = world
  await grant(2)
  for (const text of ['Hello', 'What is the meaning of life?']) {
    await write(account, text)
    await untilAnswered(app)
  }
  assert.deepEqual(
    (await conversation(app)).filter((text) => text.startsWith('bot')),
    ['bot: Hi.', 'bot: No idea.'],
  )
  assert.deepEqual(await balance(), [2, 0])
})

test('the charge that takes the balance below its threshold sends the agency one recharge request', async () => {
  await using receiver = await startReceiver()
  await using world = await startMeteredBot({ creditsPerReply: 0.75 })
  const { app, db, agency, sub, model, account, grant, recharge } = world
  await saveUrl(app, agency, receiver.url, 'recharge')
  await recharge(1, 5)
  await grant(2.5)
  for (const n of [1, 2, 3]) {
    await write(account, `Question ${n}`)
    await makeTurnsDue(db)
    ;(await model.next()).answer(`Answer ${n}.`)
    await untilAnswered(app)
  }
  await until(() => receiver.requests.length > 0, 'no event has come')
  await sleep(300)
  // What comes again under the same id is one event.
  const events = new Map(
    receiver.requests.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(String(body))]),
  )
  const asked = [...events.values()].filter(({ sub_account_id }) => sub_account_id === sub.accountId)
  assert.deepEqual(
    asked.map(({ balance, amount }) => [balance, amount]),
    [[0.25, 5]],
  )
})

/** The balances in the recharge requests, oldest first. */
async function requestedAt({ db }: Pick<Awaited<ReturnType<typeof startMeteredBot>>, 'db'>): Promise<number[]> {
  const events = db.selectFrom('deliveries').select('payload').where('receiverId', '=', 'recharge').orderBy('id')
  return (await events.execute()).map(({ payload }) => JSON.parse(payload).balance)
}

test('parked answers that cost more than a balance above the threshold send one recharge request per balance', async () => {
  await using receiver = await startReceiver()
  await using world = await startMeteredBot({ creditsPerReply: 5 })
  const { app, db, agency, account, grant, model, recharge } = world
  await saveUrl(app, agency, receiver.url, 'recharge')
  await recharge(1, 9)
  await grant(3)
  for (const n of [1, 2, 3]) await write(account, 'A question', { fromId: `contact ${n}` })
  await makeTurnsDue(db)
  await untilParked(db, 3)
  assert.deepEqual(await requestedAt(world), [3])
  await grant(1.5)
  await write(account, 'A question', { fromId: 'contact 4' })
  await makeTurnsDue(db)
  await untilParked(db, 4)
  assert.deepEqual(await requestedAt(world), [3, 4.5], 'once more, for another balance')
  await until(() => receiver.requests.length === 2, 'the events were not delivered')
  await grant(0.75)
  ;(await model.next()).answer('One that is paid for.')
  await untilCount(db, 1)
  assert.deepEqual(await requestedAt(world), [3, 4.5, 0.25], 'and when a charge takes it below the threshold')
})

test('a charge that leaves the balance at the threshold but below the price of a parked answer sends a recharge request', async () => {
  await using world = await startMeteredBot({ creditsPerReply: 2 })
  const { db, account, grant, model, recharge } = world
  await recharge(1, 9)
  await grant(3)
  await write(account, 'A question', { fromId: 'ana' })
  await makeTurnsDue(db)
  const question = await model.next()
  await write(account, 'A question', { fromId: 'ben' })
  await makeTurnsDue(db)
  await untilParked(db, 1)
  assert.deepEqual(await requestedAt(world), [], 'the balance would pay for it, were it not held')
  question.answer('Two credits.')
  await untilCount(db, 1)
  assert.deepEqual(await requestedAt(world), [1])
})

test('the first answer parked on a balance that never reached the threshold sends a recharge request, later ones do not', async () => {
  await using world = await startMeteredBot()
  const { db, account, grant, recharge } = world
  await recharge(8, 9)
  await write(account, 'A question', { fromId: 'ana' })
  await makeTurnsDue(db)
  await untilParked(db, 1)
  await grant(0.5)
  await write(account, 'A question', { fromId: 'ben' })
  await makeTurnsDue(db)
  await untilParked(db, 2)
  assert.deepEqual(await requestedAt(world), [0])
})

async function untilParked(db: Parameters<typeof makeTurnsDue>[0], count: number): Promise<void> {
  const parked = db.selectFrom('turns').select('contactId').where('parkedUnits', 'is not', null)
  await until(async () => (await parked.execute()).length === count, `${count} turns were never parked`)
}

async function untilCount(db: Parameters<typeof makeTurnsDue>[0], count: number): Promise<void> {
  const answers = db.selectFrom('answers').select('fromSeq')
  await until(async () => (await answers.execute()).length === count, `${count} answers were never given`)
}
