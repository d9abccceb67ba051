import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startAgency } from '../../helpers/credits.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { startApp } from '../../helpers/harness.ts'
import { countTraces, incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { openSlowProxy } from '../../helpers/slow-proxy.ts'

test('when the database commits and its response is lost, the caller still gets the result, and it is stored once', async () => {
  await using database = await makeDatabase()
  await using proxy = await openSlowProxy(database)
  await using world = await startAgency(await startApp({ RATE_LIMIT_PER_MINUTE: '0' }, proxy))
  const { agency, ask, app } = world
  const { email } = await world.makeSub()
  const body = 'the response to this one is lost'

  proxy.loseAnswerTo(body)
  const received = await agency.post(incomingPath, incoming({ body }))
  assert.equal(received.status, 200)
  proxy.loseAnswerTo(body)
  const sent = await agency.post(sendPath, outgoing({ body }))
  assert.equal(sent.status, 200)
  proxy.loseAnswerTo(body)
  assert.equal((await ask({ email, amount: 5, description: body })).body.new_balance, 5)
  assert.equal((await ask({ email, amount: 1 })).body.new_balance, 6)

  assert.equal(proxy.resets(), 3)
  assert.deepEqual(await countTraces(app), { contacts: 1, conversations: 1, messages: 2, turns: 1, deliveries: 1 })
  const kept = await app.db.selectFrom('messages').select('id').orderBy('seq').execute()
  assert.deepEqual(
    kept.map(({ id }) => id),
    [received.body.messageId, sent.body.messageId],
  )
})

test('over a slow network that breaks connections, every message is answered with 200 and stored once', async () => {
  await using database = await makeDatabase()
  await using proxy = await openSlowProxy(database, { delayMs: 20, resetShare: 0.03, seed: 3 })
  await using near = await startApp({ RATE_LIMIT_PER_MINUTE: '0' }, database)
  const shop = await near.makeAccount()
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' }, proxy)
  const key = shop.apiKey
  for (let round = 0; round < 40; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        app.call('POST', incomingPath, { key, body: incoming({ messageSid: `${round} ${n}`, fromId: `${n}` }) }),
      ),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  }
  assert.ok(proxy.resets() > 0, 'no connection was reset')
  assert.equal((await countTraces(near)).messages, 40 * 8)
})
