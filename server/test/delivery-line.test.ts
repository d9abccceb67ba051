import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../src/platform/db.ts'
import { allSent, passTime, saveUrl, sendOne, startDelivering, untilMessages } from './deliveries.ts'
import { startApp, type TestAccount } from './harness.ts'
import { outgoing, sendPath } from './message-requests.ts'
import { startReceiver } from './receivers.ts'

/** Sends to so many contacts at once; returns the ids. */
function burst(account: TestAccount, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => sendOne(account, { fromId: `contact ${n}` })))
}

async function countLeases(db: Db): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from deliveries where leased_until > now()
  `.execute(db)
  return rows[0]?.n ?? 0
}

test('a burst is leased as it is written, leaves as fast as allowed, and each once', async () => {
  await using app = await startDelivering({ WEBHOOK_IN_FLIGHT: '2' })
  let [now, most] = [0, 0]
  await using receiver = await startReceiver(async (_request, response) => {
    now += 1
    most = Math.max(most, now)
    await sleep(100)
    now -= 1
    response.end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const ids = await burst(shop, 8)
  assert.ok((await countLeases(app.db)) > 2, 'more than may leave at once')
  await untilMessages(app, shop, allSent)
  assert.equal(most, 2)
  assert.deepEqual(receiver.requests.map(({ headers }) => headers['webhook-id']).toSorted(), ids.toSorted())
})

test('what stands in line for a slow receiver goes back to the table, where another process finds it', async () => {
  await using app = await startDelivering({ WEBHOOK_IN_FLIGHT: '1' })
  await using receiver = await startReceiver(async (_request, response) => {
    await sleep(900)
    response.end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const ids = await burst(shop, 4)
  await sendOne(shop, { fromId: 'one more' }).then((id) => ids.push(id))
  assert.ok((await countLeases(app.db)) >= 4)
  await untilMessages(app, shop, (all) => all.filter(({ status }) => status === 'Sent').length >= 3)
  const left = await countLeases(app.db)
  assert.ok(left <= 2, `one on its way and one looked for, and not ${left}`)
  await using other = await startDelivering({ WEBHOOK_IN_FLIGHT: '1' }, app)
  await untilMessages(other, shop, allSent)
  assert.deepEqual(receiver.requests.map(({ headers }) => headers['webhook-id']).toSorted(), ids.toSorted())
})

test('a receiver that fails gets nothing more from memory: after ten failures the others are spared', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '3600' })
  let isBack = false
  await using receiver = await startReceiver(async (_request, response) => {
    if (!isBack) await sleep(150)
    response.writeHead(isBack ? 200 : 500).end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const ids = await burst(shop, 40)
  await untilMessages(app, shop, (all) => all.filter(({ status }) => status === 'Failed').length >= 10)
  await sleep(300)
  const asked = receiver.requests.length
  // In fours; and the next four leave while the failures of those before are being written down.
  assert.ok(asked >= 10 && asked <= 16, `none of those that stood in line: ${asked}`)
  isBack = true
  await passTime(app.db, '1 s')
  const messages = await untilMessages(app, shop, allSent)
  assert.equal(messages.length, ids.length)
  assert.equal(receiver.requests.length, ids.length + asked, 'each once more')
})

test('a server that stops leaves what stands in line to others at once', async () => {
  await using receiver = await startReceiver(async (_request, response) => {
    await sleep(300)
    response.end()
  })
  await using store = await startApp()
  const shop = await store.makeAccount()
  await saveUrl(store, shop, receiver.url)
  const { accountId } = shop
  {
    await using app = await startDelivering({ WEBHOOK_IN_FLIGHT: '2' }, store)
    const send = (n: number) =>
      app.call('POST', sendPath, { key: shop.apiKey, body: outgoing({ fromId: `contact ${n}` }) })
    await Promise.all(Array.from({ length: 8 }, (_, n) => send(n)))
    assert.ok((await countLeases(store.db)) > 2)
  }
  assert.equal(await countLeases(store.db), 0)
  const begun = receiver.requests.length
  assert.ok(begun > 0 && begun < 8, `${begun} of 8`)
  const messages = await untilMessages(store, { accountId }, () => true)
  assert.equal(messages.filter(({ status }) => status === 'Sent').length, begun, 'each that was begun is settled')
})
