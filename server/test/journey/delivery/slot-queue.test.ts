import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../../src/platform/database/db.ts'
import { allSent, passTime, saveUrl, sendOne, startDelivering, untilMessages } from '../../helpers/deliveries.ts'
import { startApp, type TestAccount } from '../../helpers/harness.ts'
import { outgoing, sendPath } from '../../helpers/message-requests.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

/** Sends one message each to so many contacts at once; returns the ids. */
function burst(account: TestAccount, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => sendOne(account, { fromId: `contact ${n}` })))
}

async function countLeases(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from deliveries where leased_until > now()
  `.execute(db)
  return rows[0]?.n ?? 0
}

test('a burst is leased when it is written, and sent as fast as the limit allows, each message once', async () => {
  await using app = await startDelivering({ WEBHOOK_IN_FLIGHT: '2' })
  const counted = Promise.withResolvers<void>()
  let [now, most] = [0, 0]
  await using receiver = await startReceiver(async (_request, response) => {
    now += 1
    most = Math.max(most, now)
    await counted.promise
    await sleep(100)
    now -= 1
    response.end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const ids = await burst(shop, 8)
  assert.ok((await countLeases(app.db)) > 2, 'more than may be in flight at once')
  counted.resolve()
  await untilMessages(app, shop, allSent)
  assert.equal(most, 2)
  assert.deepEqual(receiver.requests.map(({ headers }) => headers['webhook-id']).toSorted(), ids.toSorted())
})

test('events queued for a slow receiver go back to the table, where another process claims them', async () => {
  await using app = await startDelivering({ WEBHOOK_IN_FLIGHT: '1' })
  const claimedByOther = Promise.withResolvers<void>()
  let isFirst = true
  await using receiver = await startReceiver(async (_request, response) => {
    const isSlow = isFirst
    isFirst = false
    if (isSlow) await claimedByOther.promise
    response.end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const ids = await burst(shop, 4)
  await sendOne(shop, { fromId: 'one more' }).then((id) => ids.push(id))
  assert.ok((await countLeases(app.db)) >= 4)
  await until(async () => (await countLeases(app.db)) <= 2, 'more are leased than one in flight and one claimed')
  await using other = await startDelivering({ WEBHOOK_IN_FLIGHT: '1' }, app)
  // The only slot of the first process is in use: whatever arrives now was claimed by the other.
  await untilMessages(other, shop, (all) => all.filter(({ status }) => status === 'Sent').length >= 3)
  claimedByOther.resolve()
  await untilMessages(other, shop, allSent)
  assert.deepEqual(receiver.requests.map(({ headers }) => headers['webhook-id']).toSorted(), ids.toSorted())
})

test('a failing receiver gets no queued events: after ten failures its circuit breaker holds back the rest', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '3600' })
  let isBack = false
  await using receiver = await startReceiver(async (_request, response) => {
    const status = isBack ? 200 : 500 // as it was when the request came
    if (status === 500) await sleep(600) // the failures before are stored by then
    response.writeHead(status).end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const ids = await burst(shop, 40)
  await untilMessages(app, shop, (all) => all.filter(({ status }) => status === 'Failed').length >= 10)
  await sleep(300)
  await untilMessages(
    app,
    shop,
    (all) => all.filter(({ status }) => status === 'Failed').length === receiver.requests.length,
  )
  const attempted = receiver.requests.length
  // In fours; and the next four are sent while the failures of those before are being stored.
  assert.ok(attempted >= 10 && attempted <= 16, `queued events were sent: ${attempted} attempts`)
  isBack = true
  await passTime(app.db, '1 s')
  const messages = await untilMessages(app, shop, allSent)
  assert.equal(messages.length, ids.length)
  assert.equal(receiver.requests.length, ids.length + attempted, 'each once more')
})

test('a server that stops releases the leases of queued events at once, and settles those in flight', async () => {
  const stopping = Promise.withResolvers<void>()
  await using receiver = await startReceiver(async (_request, response) => {
    await stopping.promise
    response.end()
  })
  await using store = await startApp()
  const shop = await store.makeAccount()
  await saveUrl(store, shop, receiver.url)
  const { accountId } = shop
  const app = await startDelivering({ WEBHOOK_IN_FLIGHT: '2' }, store)
  const send = (n: number) =>
    app.call('POST', sendPath, { key: shop.apiKey, body: outgoing({ fromId: `contact ${n}` }) })
  await Promise.all(Array.from({ length: 8 }, (_, n) => send(n)))
  await until(() => receiver.requests.length === 2, 'two are in flight')
  await until(async () => (await countLeases(store.db)) > 2, 'others wait in the queue')
  const stopped = app[Symbol.asyncDispose]()
  await until(async () => (await countLeases(store.db)) === 2, 'only the leases of those in flight are kept')
  stopping.resolve()
  await stopped
  assert.equal(await countLeases(store.db), 0)
  assert.equal(receiver.requests.length, 2)
  const messages = await untilMessages(store, { accountId }, () => true)
  assert.equal(messages.filter(({ status }) => status === 'Sent').length, 2, 'each that was in flight is settled')
})
