import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { resendFailed, resendOne } from '../../../src/journey/delivery/resend/resend.ts'
import { listAttempts } from '../../../src/journey/messages/attempt-log.ts'
import { version } from '../../../src/platform/version.ts'
import {
  allSent,
  passTime,
  quickRetries,
  saveUrl,
  secondsToNext,
  sendOne,
  startDelivering,
  untilMessage,
  untilMessages,
  verify,
} from '../../helpers/deliveries.ts'
import { outgoing, sendPath } from '../../helpers/message-requests.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { removeOld } from '../../helpers/retention.ts'

test('a reply is sent as exactly the event of the specification, signed so that a standard library verifies it', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  const secret = await saveUrl(app, shop, `${receiver.url}hook?token=1`)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const bodies = ['Hello', 'Emoji 🌱👩‍👩‍👧', 'שלום עולם', '"quotes" \\ and \u2028 lines \u0001', 'x'.repeat(64 * 1024)]
  for (const body of bodies) await sendOne(shop, { body })
  const messages = await untilMessages(app, shop, allSent)

  assert.deepEqual(
    messages.map(({ attempts, error, nextAttemptAt, sentAt }) => [attempts, error, nextAttemptAt, sentAt !== null]),
    bodies.map(() => [1, null, null, true]),
  )
  assert.equal(receiver.requests.length, bodies.length)
  const owner = await app.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
  for (const [n, request] of receiver.requests.entries()) {
    const message = messages.at(-1 - n)
    assert.ok(message)
    assert.deepEqual([request.method, request.path], ['POST', '/hook?token=1'])
    const { id, contactId } = message
    const event = { contactId, messageId: id, userId: owner.id, body: bodies[n], toId: 'ana', channel: 'chat' }
    assert.equal(request.body.toString('utf8'), JSON.stringify(event), 'also in this order')
    const { headers } = request
    const { 'content-type': type, 'user-agent': agent } = headers
    assert.deepEqual([type, agent], ['application/json', `Patchbay/${version}`])
    assert.equal(headers['accept-encoding'], 'identity')
    assert.equal(headers['content-length'], String(request.body.length))
    assert.equal(headers['transfer-encoding'], undefined)
    assert.equal(headers['webhook-id'], id)
    assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000) < 60)
    assert.equal(headers['patchbay-attempt'], '1')
    assert.equal(headers['patchbay-author'], 'api')
    assert.equal(headers['patchbay-sequence'], String(n + 1))
    verify(secret, request)
    const flipped = Buffer.from(request.body)
    flipped[flipped.length - 3] = (flipped[flipped.length - 3] ?? 0) ^ 1
    assert.throws(() => verify(secret, { headers, body: flipped }))
    assert.throws(() => verify(secret, { headers: { ...headers, 'webhook-id': `${id}0` }, body: request.body }))
    const later = String(Number(headers['webhook-timestamp']) + 1)
    assert.throws(() => verify(secret, { headers: { ...headers, 'webhook-timestamp': later }, body: request.body }))
  }
})

test('a first failure shows at once with its details, every attempt is the same event, and a later one succeeds', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: `600,${quickRetries}` })
  const answers = [500, 404, 501]
  await using receiver = await startReceiver((_request, response) => {
    const status = answers.shift()
    response.writeHead(status ?? 204).end(status && `no\u0000t \u001b[31mtoday ${'é'.repeat(2_000)}`)
  })
  const shop = await app.makeAccount()
  const secret = await saveUrl(app, shop, receiver.url)
  await sendOne(shop)
  const failed = await untilMessage(app, shop, ({ status }) => status === 'Failed')
  assert.deepEqual([failed.attempts, failed.error?.category, failed.error?.httpStatus], [1, 'http_error', 500])
  assert.match(failed.error?.detail ?? '', /^not \[31mtoday é+$/)
  assert.ok(Buffer.byteLength(failed.error?.detail ?? '') <= 1024)
  const waitSeconds = await secondsToNext(app, shop, failed)
  assert.ok(waitSeconds >= 480 && waitSeconds <= 720, `the next attempt follows the schedule, ±20 %: ${waitSeconds}`)
  await passTime(app.db, '15 minutes')

  const sent = await untilMessage(app, shop, ({ status }) => status === 'Sent')
  assert.deepEqual([sent.attempts, sent.error, sent.nextAttemptAt], [4, null, null])
  const [first] = receiver.requests
  for (const [n, request] of receiver.requests.entries()) {
    assert.equal(request.headers['patchbay-attempt'], String(n + 1))
    assert.deepEqual(request.body, first?.body)
    assert.equal(request.headers['webhook-id'], sent.id)
    verify(secret, request)
  }
  const log = await listAttempts(app.db, shop.accountId, sent.id)
  assert.deepEqual(
    log.map(({ n, category, httpStatus }) => [n, category, httpStatus]),
    [
      [4, null, null],
      [3, 'http_error', 501],
      [2, 'http_error', 404],
      [1, 'http_error', 500],
    ],
  )
})

test('a receiver that always fails is tried eleven times, and not once more in a week', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver((_request, response) => response.writeHead(500).end())
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await sendOne(shop)
  for (let hours = 0; hours < 3 && receiver.requests.length < 11; hours += 1) {
    await untilMessage(app, shop, ({ attempts, nextAttemptAt }) => attempts > 9 + hours || nextAttemptAt === null)
    await passTime(app.db, '61 s') // from the tenth failure on, only probes are sent, at growing intervals
  }
  const last = await untilMessage(app, shop, ({ nextAttemptAt }) => nextAttemptAt === null)
  assert.deepEqual([last.status, last.attempts, receiver.requests.length], ['Failed', 11, 11])
  for (let day = 0; day < 7; day += 1) await passTime(app.db, '1 day')
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.equal(receiver.requests.length, 11)
})

test('every HTTP status has the outcome, error and retry that the documentation promises', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '1000' })
  let status = 200
  await using receiver = await startReceiver((_request, response) => {
    response.writeHead(status, { location: 'http://127.0.0.1:1/secret' }).end()
  })
  const cases: [status: number, shown: string, category: string | undefined, isRetried: boolean][] = [
    ...[200, 201, 204, 299].map((ok): [number, string, undefined, boolean] => [ok, 'Sent', undefined, false]),
    ...[300, 301, 302, 303, 304, 307, 308].map((moved): [number, string, string, boolean] => {
      return [moved, 'Failed', 'redirect', true]
    }),
    ...[400, 401, 404, 429, 500, 503, 599, 600, 999].map((bad): [number, string, string, boolean] => {
      return [bad, 'Failed', 'http_error', true]
    }),
    [410, 'Failed', 'http_error', false],
  ]
  for (const [code, shown, category, isRetried] of cases) {
    status = code
    const shop = await app.makeAccount()
    await saveUrl(app, shop, receiver.url)
    await sendOne(shop)
    const message = await untilMessage(app, shop, (found) => found.status !== 'Waiting')
    const { error } = message
    const seen = [message.status, error?.category, error?.httpStatus, message.nextAttemptAt !== null]
    assert.deepEqual(seen, [shown, category, category && code, isRetried], `status ${code}`)
    assert.doesNotMatch(error?.detail ?? '', /secret/)
    const endpoint = await app.db
      .selectFrom('receivers')
      .select('goneAt')
      .where('accountId', '=', shop.accountId)
      .executeTakeFirstOrThrow()
    assert.equal(endpoint.goneAt !== null, code === 410)
  }
})

test('an overloaded receiver is retried after a minute, or after its Retry-After up to twice the delay', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '30,30' })
  let [status, retryAfter] = [503, '']
  await using receiver = await startReceiver((_request, response) => {
    response.writeHead(status, retryAfter ? { 'retry-after': retryAfter } : {}).end()
  })
  const inADay = new Date(Date.now() + 86_400_000).toUTCString()
  const cases: [status: number, retryAfter: string, from: number, to: number][] = [
    ...[429, 502, 503, 504].map((busy): [number, string, number, number] => [busy, '', 48, 72]),
    [503, '100', 100, 100],
    [503, '5', 48, 72],
    [503, '100000', 120, 120],
    [503, '9'.repeat(400), 120, 120],
    [503, '-100', 48, 72],
    [503, new Date(0).toUTCString(), 48, 72],
    [503, inADay, 120, 120],
    [503, 'tomorrow', 48, 72],
    [500, '', 24, 36],
  ]
  for (const [code, asked, from, to] of cases) {
    ;[status, retryAfter] = [code, asked]
    const shop = await app.makeAccount()
    await saveUrl(app, shop, receiver.url)
    await sendOne(shop)
    const failed = await untilMessage(app, shop, (found) => found.status === 'Failed')
    const waitSeconds = await secondsToNext(app, shop, failed)
    assert.ok(waitSeconds >= from && waitSeconds <= to, `${code} ${asked}: ${waitSeconds}`)
  }
})

test('a message without an address fails with no_endpoint, and resending it delivers it once there is one', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  for (const body of ['one', 'two', 'three']) await sendOne(shop, { body })
  const failed = await untilMessages(app, shop, (all) => all.every(({ status }) => status === 'Failed'))
  for (const { error, nextAttemptAt, attempts } of failed) {
    assert.deepEqual([error?.category, nextAttemptAt, attempts], ['no_endpoint', null, 0])
  }
  await saveUrl(app, shop, receiver.url)
  assert.equal(await resendFailed(app.db, shop.accountId, new Date(Date.now() - 60_000).toISOString()), 3)
  await untilMessages(app, shop, allSent)
  assert.deepEqual(
    receiver.requests.map(({ body }) => JSON.parse(String(body)).body),
    ['one', 'two', 'three'],
  )
})

test('a message that was repeated with an Idempotency-Key is delivered once', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const call = { key: shop.apiKey, body: outgoing(), headers: { 'idempotency-key': 'once' } }
  const answers = await Promise.all([1, 2, 3].map(() => app.call('POST', sendPath, call)))
  assert.equal(new Set(answers.map(({ body }) => body.messageId)).size, 1)
  await untilMessages(app, shop, allSent)
  assert.equal(receiver.requests.length, 1)
})

test('attempts are kept for thirty days, and the last one with the message', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await sendOne(shop)
  const { id } = await untilMessage(app, shop, ({ status }) => status === 'Sent')
  await resendOne(app.db, shop.accountId, id)
  const before = await untilMessage(
    app,
    shop,
    ({ attempts, nextAttemptAt }) => attempts === 2 && nextAttemptAt === null,
  )
  const attempts = async () => (await listAttempts(app.db, shop.accountId, id)).map(({ n, url }) => [n, url])
  assert.deepEqual(await attempts(), [
    [2, receiver.url],
    [1, receiver.url],
  ])
  await sql`
    insert into delivery_attempts (account_id, delivery_id, n, url, duration_ms, at)
    select ${shop.accountId}, 'msg_' || n, 1, 'https://example.com/', 1, now() - n * interval '1 hour'
    from generate_series(1, 11999) as n
  `.execute(app.db)
  await removeOld(app.db)
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from delivery_attempts`.execute(app.db)
  assert.deepEqual(rows, [{ n: 720 }])
  assert.equal((await attempts()).length, 2)
  await passTime(app.db, '30 days')
  await removeOld(app.db)
  assert.deepEqual(await attempts(), [[2, receiver.url]])
  const after = await untilMessage(app, shop, () => true)
  assert.deepEqual([after.status, after.attempts, after.error], [before.status, before.attempts, before.error])
})
