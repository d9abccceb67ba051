import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTraceparent } from '../../../src/platform/trace-context.ts'
import { quickRetries, saveUrl, startDelivering } from '../../helpers/deliveries.ts'
import type { TestApp } from '../../helpers/harness.ts'
import { incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { type Receiver, startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
const child = new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7|0{16})[0-9a-f]{16}-01$`)

function linesOf(app: TestApp, msg: string): Record<string, unknown>[] {
  return app.log.map((line) => JSON.parse(line)).filter((line) => line.msg === msg)
}

const untilPosted = (receiver: Receiver, posts: number) =>
  until(() => receiver.requests.length >= posts, `there are not ${posts} posts`)

test('the trace of an incoming message goes on to the post of its answer, with a span of its own, and is in both log lines', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const sent = await app.call('POST', incomingPath, { key: shop.apiKey, headers: { traceparent }, body: incoming() })
  assert.equal(sent.status, 200)
  await untilPosted(receiver, 1)
  const given = String(receiver.requests[0]?.headers.traceparent)
  assert.match(given, child)

  await until(() => linesOf(app, 'delivery attempt').length === 1, 'the attempt is not logged')
  const [attempt] = linesOf(app, 'delivery attempt')
  const { level, time, ms, id, ...fixed } = attempt ?? {}
  assert.deepEqual(fixed, {
    accountId: shop.accountId,
    receiver: 'reply',
    attempt: 1,
    outcome: 'sent',
    msg: 'delivery attempt',
    traceId,
    spanId: given.slice(36, 52),
  })
  assert.equal(linesOf(app, 'request')[0]?.traceId, traceId)
})

test('every attempt of a sent message is part of its trace, each with another span, also with an idempotency key', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: quickRetries })
  await using receiver = await startReceiver((_, response) =>
    response.writeHead(receiver.requests.length === 1 ? 500 : 200).end(),
  )
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const send = (headers: Record<string, string>, fromId: string) =>
    app.call('POST', sendPath, { key: shop.apiKey, headers, body: outgoing({ fromId }) })
  await send({ traceparent }, 'ana')
  await untilPosted(receiver, 2)
  await send({ traceparent, 'idempotency-key': 'one' }, 'ben')
  await untilPosted(receiver, 3)
  const given = receiver.requests.map(({ headers }) => String(headers.traceparent))
  for (const one of given) assert.match(one, child)
  assert.equal(new Set(given).size, 3)
})

test('without a valid traceparent the post has none, and the message is kept all the same', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const kinds: (string | string[] | undefined)[] = [
    undefined,
    '',
    'x',
    traceparent.toUpperCase(),
    [traceparent, traceparent],
  ]
  for (const [n, given] of kinds.entries()) {
    const headers = given === undefined ? {} : { traceparent: given }
    const body = outgoing({ fromId: `contact ${n}` })
    assert.equal((await app.call('POST', sendPath, { key: shop.apiKey, headers, body })).status, 200)
  }
  await untilPosted(receiver, kinds.length)
  for (const { headers } of receiver.requests) assert.equal(headers.traceparent, undefined)
  for (const line of linesOf(app, 'request')) assert.equal(line.traceId, undefined)
})

test('a traceparent is read as the standard says', () => {
  const [id, parent] = [traceId, '00f067aa0ba902b7']
  assert.equal(readTraceparent(traceparent), traceparent)
  assert.equal(readTraceparent(`cc-${id}-${parent}-09-what-comes-later`), `00-${id}-${parent}-01`)
  assert.equal(readTraceparent(`cc-${id}-${parent}-08`), `00-${id}-${parent}-00`)
  const invalid = [
    `ff-${id}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${id}-${'0'.repeat(16)}-01`,
    `00-${id}-${parent}-01-more`,
    `00-${id}-${parent}`,
    `00-${id}-${parent}-1`,
    `cc-${id}-${parent}-01.more`,
    ` ${traceparent}`,
    `${traceparent}\n`,
    `00-${id}x-${parent}-01`,
  ]
  for (const text of invalid) assert.equal(readTraceparent(text), undefined, text)
})
