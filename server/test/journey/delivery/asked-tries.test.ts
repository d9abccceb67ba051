import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { tryNow } from '../../../src/journey/delivery/receivers/show-webhook.ts'
import { resendFailed, resendOne } from '../../../src/journey/delivery/resend/resend.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { passTime, saveUrl, sendOne, startDelivering, untilMessage, untilMessages } from '../../helpers/deliveries.ts'
import type { TestApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

let app: TestApp
before(async () => {
  app = await startDelivering({ DELIVERY_RETRY_SECONDS: '1000,2000', RATE_LIMIT_PER_MINUTE: '0' })
})
after(() => app[Symbol.asyncDispose]())

const lastHour = () => new Date(Date.now() - 3_600_000).toISOString()

async function endpointOf(db: Db, accountId: AccountId) {
  return db.selectFrom('receivers').selectAll().where('accountId', '=', accountId).executeTakeFirstOrThrow()
}

/** A shop whose receiver fails, and one reply that it has refused once. */
async function failing() {
  const receiver = await startReceiver((_request, response) => response.writeHead(500).end())
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const id = await sendOne(shop)
  const first = await untilMessage(app, shop, ({ status }) => status === 'Failed')
  return { receiver, shop, id, first, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() }
}

const secondsUntil = (at: Date | null) => ((at?.getTime() ?? 0) - Date.now()) / 1_000

test('tries that a person asks for are not among those that come by themselves, and move none of them', async () => {
  await using world = await failing()
  const { receiver, shop, id, first } = world
  const owner = await signIn(app, shop)
  const ways = [
    () => resendOne(app.db, shop.accountId, id),
    () => resendFailed(app.db, shop.accountId, lastHour()),
    () => tryNow(app.db, { accountId: shop.accountId, receiverId: 'reply' }),
    () => saveUrl(app, shop, receiver.url),
    async () => assert.equal((await owner.call('POST', `/api/deliveries/${id}/resend`)).status, 200),
    async () => assert.equal((await owner.call('POST', '/api/webhook/try')).status, 200),
  ]
  for (const [n, ask] of ways.entries()) {
    await ask()
    const { nextAttemptAt } = await untilMessage(app, shop, ({ attempts }) => attempts === 2 + n)
    assert.deepEqual(nextAttemptAt, first.nextAttemptAt, `the next try by itself was moved by way ${n}`)
  }
  const asked = await untilMessage(app, shop, () => true)
  assert.deepEqual([asked.attempts, asked.askedAttempts], [7, 6])
  const { delivery } = (await owner.call('GET', `/api/deliveries/${id}`)).body
  assert.deepEqual(
    [delivery.attempts, delivery.askedAttempts, delivery.maxAttempts, delivery.isSending],
    [7, 6, 3, false],
  )

  await passTime(app.db, '1200 s')
  const second = await untilMessage(app, shop, ({ attempts }) => attempts === 8)
  const seconds = secondsUntil(second.nextAttemptAt)
  assert.ok(
    seconds > 1_500 && seconds < 2_500,
    `it is the second that came by itself: the third is due in ${seconds} s`,
  )
  await passTime(app.db, '2400 s')
  const third = await untilMessage(app, shop, ({ attempts }) => attempts === 9)
  assert.deepEqual([third.nextAttemptAt, third.askedAttempts], [null, 6])

  await resendOne(app.db, shop.accountId, id)
  const last = await untilMessage(app, shop, ({ attempts }) => attempts === 10)
  assert.deepEqual(
    [last.nextAttemptAt, last.askedAttempts],
    [null, 7],
    'after the last one, asking makes one and no more',
  )
  const numbers = receiver.requests.map(({ headers }) => Number(headers['patchbay-attempt']))
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 'the receiver sees all of them numbered')
})

test('a try that a person asks for a day after the first does not end those that come by themselves', async () => {
  await using world = await failing()
  const { shop, id } = world
  await sql`update deliveries set first_attempt_at = now() - interval '25 hours' where id = ${id}`.execute(app.db)
  const { nextAttemptAt } = await untilMessage(app, shop, () => true)
  await resendOne(app.db, shop.accountId, id)
  const asked = await untilMessage(app, shop, ({ attempts }) => attempts === 2)
  assert.deepEqual(asked.nextAttemptAt, nextAttemptAt)
  await passTime(app.db, '1200 s')
  const own = await untilMessage(app, shop, ({ attempts }) => attempts === 3)
  assert.equal(own.nextAttemptAt, null, 'the next one that comes by itself does')
})

test('an impatient person does not open the circuit breaker, and gets a try at once while it is open', async () => {
  await using world = await failing()
  const { shop, id, receiver } = world
  const owner = await signIn(app, shop)
  const ask = async () => assert.equal((await owner.call('POST', `/api/deliveries/${id}/resend`)).status, 200)
  for (let n = 2; n <= 13; n += 1) {
    await ask()
    await untilMessage(app, shop, ({ attempts }) => attempts === n)
  }
  assert.equal((await endpointOf(app.db, shop.accountId)).failuresInRow, 1)

  for (let n = 0; n < 9; n += 1) await sendOne(shop, { fromId: `contact ${n}` })
  await untilMessages(app, shop, (all) => all.every(({ status }) => status === 'Failed'))
  await until(async () => (await endpointOf(app.db, shop.accountId)).failuresInRow >= 10, 'the breaker stays closed')
  await sql`update receivers set probe_at = now() + interval '50 s', probe_wait_seconds = 32
    where account_id = ${shop.accountId}`.execute(app.db)
  const breaker = await endpointOf(app.db, shop.accountId)
  const posted = receiver.requests.length
  for (const n of [1, 2, 3]) {
    await ask()
    await untilMessages(app, shop, (all) => all.some((message) => message.id === id && message.attempts === 13 + n))
  }
  assert.equal(receiver.requests.length, posted + 3, 'each is posted, and nothing else')
  assert.deepEqual(await endpointOf(app.db, shop.accountId), breaker, 'and the next probe is when it was')
})

test('a reply that nobody has tried yet begins its tries when a person sends it', async () => {
  const shop = await app.makeAccount()
  await using receiver = await startReceiver((_request, response) => response.writeHead(500).end())
  await sendOne(shop)
  const { id } = await untilMessage(app, shop, ({ error }) => error?.category === 'no_endpoint')
  await saveUrl(app, shop, receiver.url)
  await resendOne(app.db, shop.accountId, id)
  const tried = await untilMessage(app, shop, ({ attempts }) => attempts === 1)
  assert.deepEqual([tried.askedAttempts, tried.nextAttemptAt !== null], [0, true])
})

test('tries that come by themselves go on with one that a person asks for, after an address or a readable secret was missing', async () => {
  await using world = await failing()
  const { shop, id, receiver } = world
  await app.db.deleteFrom('receivers').where('accountId', '=', shop.accountId).execute()
  await passTime(app.db, '1200 s')
  const missing = await untilMessage(app, shop, ({ error }) => error?.category === 'no_endpoint')
  assert.deepEqual([missing.attempts, missing.nextAttemptAt], [1, null])
  await saveUrl(app, shop, receiver.url)
  await resendOne(app.db, shop.accountId, id)
  const second = await untilMessage(app, shop, ({ attempts }) => attempts === 2)
  assert.deepEqual([second.askedAttempts, second.nextAttemptAt !== null], [0, true])

  const { secret } = await endpointOf(app.db, shop.accountId)
  const keepSecret = (text: string) =>
    app.db.updateTable('receivers').set({ secret: text }).where('accountId', '=', shop.accountId).execute()
  await keepSecret('of another key')
  await passTime(app.db, '2400 s')
  await untilMessage(app, shop, ({ error }) => error?.category === 'secret_unreadable')
  await keepSecret(secret ?? '')
  await resendOne(app.db, shop.accountId, id)
  const third = await untilMessage(app, shop, ({ attempts }) => attempts === 3)
  assert.equal(third.askedAttempts, 0)
})

test('while a try that was asked for is on its way, another one is refused and the log says so', async () => {
  let answer = () => {}
  let isHeld = false
  await using receiver = await startReceiver((_request, response) => {
    answer = () => response.writeHead(500).end()
    if (!isHeld) answer()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const id = await sendOne(shop)
  const first = await untilMessage(app, shop, ({ status }) => status === 'Failed')
  const owner = await signIn(app, shop)
  isHeld = true
  const resent = await owner.call('POST', `/api/deliveries/${id}/resend`)
  assert.deepEqual([resent.status, resent.body.delivery.isSending], [200, true])
  for (const _ of [1, 2]) {
    const again = await owner.call('POST', `/api/deliveries/${id}/resend`)
    assert.deepEqual([again.status, again.body.error.code], [400, 'INVALID_REQUEST'])
    assert.match(again.body.error.message, /on its way at this moment/)
    await until(() => receiver.requests.length === 2, 'it was not posted')
  }
  const thread = (await owner.call('GET', `/api/conversations/${first.contactId}/messages`)).body
  const { isSending, nextAttemptAt } = thread.messages.at(-1).delivery
  assert.deepEqual([isSending, nextAttemptAt], [true, first.nextAttemptAt?.toISOString()])
  answer()
  await untilMessage(app, shop, ({ attempts }) => attempts === 2)
  const { delivery } = (await owner.call('GET', `/api/deliveries/${id}`)).body
  assert.deepEqual([delivery.isSending, delivery.askedAttempts], [false, 1])
})
