import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendWithin } from '../../../src/journey/messages/send.ts'
import { allSent, passTime, saveUrl, sendOne, startDelivering, untilMessages } from '../../helpers/deliveries.ts'
import type { TestApp } from '../../helpers/harness.ts'
import { type Received, startReceiver } from '../../helpers/receivers.ts'

function sequences(requests: Received[], toId?: string): number[] {
  return requests
    .filter(({ body }) => toId === undefined || JSON.parse(String(body)).toId === toId)
    .map(({ headers }) => Number(headers['patchbay-sequence']))
}

/** Starts two processes on one database, with an account that both send for. */
async function startTwo(environment: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack()
  const one = stack.use(await startDelivering(environment))
  const other = stack.use(await startDelivering(environment, one))
  const shop = await one.makeAccount()
  const send = (app: TestApp, fields: Record<string, unknown>) => {
    const post = (path: string, body: unknown) => app.call('POST', path, { key: shop.apiKey, body })
    return sendOne({ ...shop, post }, fields)
  }
  return { one, other, shop, send, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('a hundred messages of one conversation arrive in the order they were made, with two processes delivering', async () => {
  await using world = await startTwo()
  const { one, other, shop, send } = world
  await using receiver = await startReceiver(async (_request, response) => {
    await sleep(Math.random() * 6)
    response.end()
  })
  await saveUrl(one, shop, receiver.url)
  const made: string[] = []
  for (let n = 0; n < 100; n += 1) made.push(await send(n % 2 ? one : other, { body: `number ${n}` }))
  await untilMessages(one, shop, allSent)
  assert.deepEqual(
    receiver.requests.map(({ headers }) => headers['webhook-id']),
    made,
  )
  assert.deepEqual(
    sequences(receiver.requests),
    made.map((_, n) => n + 1),
  )
})

test('messages of many conversations that are sent at once arrive each once, and each conversation in order', async () => {
  await using world = await startTwo()
  const { one, other, shop, send } = world
  await using receiver = await startReceiver(async (_request, response) => {
    await sleep(Math.random() * 3)
    response.end()
  })
  await saveUrl(one, shop, receiver.url)
  const sends = Array.from({ length: 400 }, (_, n) => send(n % 2 ? one : other, { fromId: `contact ${n % 20}` }))
  const made = await Promise.all(sends)
  await untilMessages(one, shop, allSent)
  assert.equal(receiver.requests.length, 400)
  assert.deepEqual(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])), new Set(made))
  for (let n = 0; n < 20; n += 1) {
    const expected = Array.from({ length: 20 }, (_, index) => index + 1)
    assert.deepEqual(sequences(receiver.requests, `contact ${n}`), expected)
  }
})

test('a message written while an earlier one of its conversation is not yet committed is sent after it', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await sendOne(shop, { fromId: 'ana' })
  await untilMessages(app, shop, allSent)
  for (const toId of ['ana', 'who is new']) {
    const later = await app.db.transaction().execute(async (tx) => {
      await sendWithin(tx, { accountId: shop.accountId, toId, author: 'bot', body: 'earlier' })
      const sending = sendOne(shop, { fromId: toId, body: 'later' })
      await sleep(300) // it waits for this transaction
      return { sending }
    })
    await later.sending
    await untilMessages(app, shop, allSent)
  }
  assert.deepEqual(sequences(receiver.requests, 'ana'), [1, 2, 3])
  assert.deepEqual(sequences(receiver.requests, 'who is new'), [1, 2])
})

test('hundreds of messages in one conversation do not delay the reply to another contact', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver(async (_request, response) => {
    await sleep(50)
    response.end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await Promise.all(Array.from({ length: 200 }, () => sendOne(shop, { fromId: 'ana' })))
  const sentMeanwhile = receiver.requests.length
  const reply = { accountId: shop.accountId, toId: 'ben', author: 'bot' as const, body: 'Hello Ben' }
  await app.db.transaction().execute((tx) => sendWithin(tx, reply)) // as the bot does: it is claimed from the table
  while (sequences(receiver.requests, 'ben').length === 0) await sleep(10)
  const sentBefore = receiver.requests.length - sentMeanwhile
  assert.ok(sentBefore < 40, `${sentBefore} others were sent before it`)
})

test('a message that failed does not block its conversation: newer ones are sent before its retry', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '600' })
  await using receiver = await startReceiver(({ headers, body }, response) => {
    const fails = JSON.parse(String(body)).body === 'fails once' && headers['patchbay-attempt'] === '1'
    response.writeHead(fails ? 500 : 200).end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  for (const body of ['first', 'fails once', 'third', 'fourth']) await sendOne(shop, { body })
  await untilMessages(app, shop, (all) => allSent(all.filter(({ body }) => body !== 'fails once')))
  await passTime(app.db, '15 minutes')
  await untilMessages(app, shop, allSent)
  assert.deepEqual(sequences(receiver.requests), [1, 2, 3, 4, 2])
})

test('never more attempts to one receiver are in flight than WEBHOOK_IN_FLIGHT allows', async () => {
  await using app = await startDelivering({ WEBHOOK_IN_FLIGHT: '3' })
  let [now, most] = [0, 0]
  await using receiver = await startReceiver(async (_request, response) => {
    now += 1
    most = Math.max(most, now)
    await sleep(20)
    now -= 1
    response.end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await Promise.all(Array.from({ length: 60 }, (_, n) => sendOne(shop, { fromId: `contact ${n}` })))
  await untilMessages(app, shop, allSent)
  assert.ok(most > 1 && most <= 3, `${most} at once`)
  assert.equal(receiver.requests.length, 60)
})
