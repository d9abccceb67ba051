import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { pauseReceiver } from '../../../src/journey/delivery/transports/webhook/webhooks.ts'
import { openSend } from '../../../src/journey/messages/send.ts'
import { openKnownContacts } from '../../../src/people/contacts/known-contacts.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import { openPools } from '../../../src/platform/database/pools.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { notifyingDispatcher } from '../../../src/worker.ts'
import {
  allSent,
  passTime,
  quickRetries,
  saveUrl,
  sendOne,
  startDelivering,
  untilMessages,
} from '../../helpers/deliveries.ts'
import { startApp, type TestApp } from '../../helpers/harness.ts'
import { startReceiver, startTcp } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

async function endpointOf(db: Db, accountId: AccountId) {
  return db.selectFrom('receivers').selectAll().where('accountId', '=', accountId).executeTakeFirstOrThrow()
}

/** Sends many messages fast, spread over conversations, like a process that delivers nothing itself. */
async function sendMany(
  { db, database }: TestApp,
  { accountId }: { accountId: AccountId },
  { count, conversations }: { count: number; conversations: number },
): Promise<void> {
  const pools = openPools(database.address, pino({ enabled: false }))
  const { now: send } = openSend({
    pools,
    dispatcher: notifyingDispatcher(db, pino({ enabled: false })),
    hint: () => {},
    known: openKnownContacts(),
  })
  for (let sent = 0; sent < count; sent += 500) {
    const batch = Array.from({ length: Math.min(500, count - sent) }, (_, n) => sent + n)
    const to = (n: number) => ({ accountId, toId: `contact ${n % conversations}`, author: 'api' as const, body: 'Hi' })
    await Promise.all(batch.map((n) => send(to(n))))
  }
  await pools.end()
}

test('after ten failures in a row a receiver gets one probe at a time, and after a success all replies in order', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '3600' })
  let isBack = false
  let [now, most] = [0, 0]
  await using receiver = await startReceiver(async (_request, response) => {
    now += 1
    if (isBack) most = Math.max(most, now)
    await sleep(isBack ? 2 : 600) // the failures before are stored by then
    now -= 1
    response.writeHead(isBack ? 200 : 500).end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await sendMany(app, shop, { count: 300, conversations: 10 })
  await untilMessages(app, shop, (all) => all.filter(({ status }) => status === 'Failed').length >= 10)
  await sleep(300)
  const attempted = receiver.requests.length
  assert.ok(attempted >= 10 && attempted < 20, `the circuit breaker did not open in time: ${attempted} attempts`)
  const held = await untilMessages(app, shop, () => true)
  assert.ok(held.filter(({ attempts }) => attempts === 0).length >= 280, 'held back, they use no attempt')

  for (const seconds of [1, 2, 4]) {
    const before = receiver.requests.length
    await passTime(app.db, `${seconds} s`)
    await until(() => receiver.requests.length > before, 'no probe was sent')
    const hasGrown = async () => (await endpointOf(app.db, shop.accountId)).probeWaitSeconds >= 2 * seconds
    await until(hasGrown, 'the probe interval does not grow')
  }
  assert.ok(receiver.requests.length <= attempted + 8, 'one probe at a time')

  isBack = true
  receiver.requests.length = 0
  await passTime(app.db, '60 s')
  await untilMessages(app, shop, allSent, 60_000)
  assert.ok(most <= 4, `at most four at once: ${most}`)
  const seen = new Map<string, number[]>()
  for (const { body, headers } of receiver.requests) {
    const { toId } = JSON.parse(String(body))
    seen.set(toId, [...(seen.get(toId) ?? []), Number(headers['patchbay-sequence'])])
  }
  const probed = receiver.requests[0]?.headers['webhook-id']
  for (const [toId, order] of seen) {
    const [first] = receiver.requests.filter(({ body }) => JSON.parse(String(body)).toId === toId)
    // The probe was the oldest due, and may be a later one of its conversation.
    const rest = first?.headers['webhook-id'] === probed ? order.slice(1) : order
    assert.deepEqual(
      rest,
      rest.toSorted((one, other) => one - other),
      toId,
    )
  }
  const { failuresInRow, failingSince, probeAt } = await endpointOf(app.db, shop.accountId)
  assert.deepEqual([failuresInRow, failingSince, probeAt], [0, null, null])
})

test('a probe uses a reply that no process has leased, and waits for one if there is none', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '3600' })
  let isBack = false
  await using receiver = await startReceiver((_request, response) => response.writeHead(isBack ? 200 : 500).end())
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  for (let n = 0; n < 10; n += 1) await sendOne(shop, { fromId: `contact ${n}` })
  const [first] = await untilMessages(app, shop, (all) => all.every(({ status }) => status === 'Failed'))
  const taken = sql`due_at = now(), lease_token = gen_random_uuid(), leased_until = now() + interval '30 s'`
  await sql`update deliveries set ${taken} where id = ${first?.id}`.execute(app.db)
  await sleep(2_500) // the probe is due, and there is no reply to send
  isBack = true
  const id = await sendOne(shop, { fromId: 'another contact' })
  await untilMessages(app, shop, (all) => all.some((message) => message.id === id && message.status === 'Sent'), 20_000)
})

test('ten thousand replies that wait for an endpoint are all sent, in order, with no more at once than allowed', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' })
  let [now, most] = [0, 0]
  await using receiver = await startReceiver((_request, response) => {
    now += 1
    most = Math.max(most, now)
    setImmediate(() => {
      now -= 1
      response.end()
    })
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const [count, allowed] = [10_000, 16]
  await sendMany(app, shop, { count, conversations: 100 })
  await using worker = await startDelivering({ ROLE: 'worker', WEBHOOK_IN_FLIGHT: String(allowed) }, app)
  assert.ok(worker)
  while (receiver.requests.length < count) await sleep(100)
  await untilMessages(app, shop, allSent)
  assert.equal(receiver.requests.length, count)
  assert.ok(most <= allowed, `${most} at once`)
  const last = new Map<string, number>()
  for (const { body, headers } of receiver.requests) {
    const { toId } = JSON.parse(String(body))
    const sequence = Number(headers['patchbay-sequence'])
    assert.equal(sequence, (last.get(toId) ?? 0) + 1)
    last.set(toId, sequence)
  }
})

// R17
test('a receiver that hangs with a thousand replies waiting does not delay those of another account', async () => {
  await using app = await startDelivering({ RATE_LIMIT_PER_MINUTE: '0' })
  await using dead = await startTcp(() => {}) // accepts connections and never answers
  await using healthy = await startReceiver()
  const [blocked, other] = [await app.makeAccount(), await app.makeAccount()]
  await saveUrl(app, blocked, dead.url)
  await saveUrl(app, other, healthy.url)
  await sendMany(app, blocked, { count: 1_000, conversations: 1_000 })
  const sent = 100
  for (let n = 1; n <= sent; n += 1) {
    await sendOne(other, { fromId: `contact ${n % 7}` })
    await until(() => healthy.requests.length >= n, 'a reply waits behind those of another account')
  }
  const given = app.db.selectFrom('deliveryAttempts').where('accountId', '=', blocked.accountId)
  const { ended } = await given.select(({ fn }) => fn.countAll<string>().as('ended')).executeTakeFirstOrThrow()
  assert.ok(Number(ended) < sent, `${ended} attempts that hang for 15 s have ended meanwhile`)
  await untilMessages(app, other, allSent)
})

test('however many attempts a hanging receiver may have in flight, another account gets the rest of the lease budget', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' })
  let connections = 0
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  await using dead = await startTcp((socket) => {
    connections += 1
    void isOver.then(() => socket.destroy())
  })
  await using healthy = await startReceiver()
  const [blocked, other] = [await app.makeAccount(), await app.makeAccount()]
  await saveUrl(app, blocked, dead.url)
  await saveUrl(app, other, healthy.url)
  await sendMany(app, blocked, { count: 100, conversations: 100 })
  await using worker = await startDelivering({ ROLE: 'worker', WEBHOOK_IN_FLIGHT: '48' }, app, 60_000)
  assert.ok(worker)
  await until(() => connections === 48, 'not all of its lease budget is in use')
  await sendMany(app, other, { count: 20, conversations: 20 })
  await untilMessages(app, other, allSent)
  end()
})

test('a receiver that fails every other time gets everything, and is not paused', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: `${quickRetries},${quickRetries}` })
  await using receiver = await startReceiver((_request, response) => {
    response.writeHead(Math.random() < 0.5 ? 500 : 200).end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await sendMany(app, shop, { count: 100, conversations: 20 })
  const settled = untilMessages(app, shop, allSent, 60_000)
  const clock = setInterval(() => void passTime(app.db, '2 s').catch(() => {}), 500) // in case the circuit breaker opens
  await settled.finally(() => clearInterval(clock))
  assert.equal((await endpointOf(app.db, shop.accountId)).pausedAt, null)
})

test('after five days without success the address is paused; nothing is lost, and resuming it sends what was held back', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '0.02,86400,86400' })
  let isBack = false
  await using receiver = await startReceiver((_request, response) => response.writeHead(isBack ? 200 : 500).end())
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await sendOne(shop, { body: 'first' })
  await untilMessages(app, shop, ([message]) => message?.attempts === 2)
  await sql`update receivers set failing_since = now() - interval '6 days'`.execute(app.db)
  await sendOne(shop, { body: 'second', fromId: 'ben' })
  await untilMessages(app, shop, ([message]) => message?.status === 'Failed')
  assert.notEqual((await endpointOf(app.db, shop.accountId)).pausedAt, null)
  const before = receiver.requests.length
  await sendOne(shop, { body: 'third', fromId: 'cid' })
  const [third] = await untilMessages(app, shop, ([message]) => message?.error?.category === 'endpoint_paused')
  assert.deepEqual([third?.attempts, receiver.requests.length], [0, before], 'nothing is sent')

  isBack = true
  await pauseReceiver(app.db, { accountId: shop.accountId, receiverId: 'reply' }, { isPaused: false })
  await untilMessages(app, shop, allSent)
})
