import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newApiKey } from '../../../src/business/accounts/api-key.ts'
import { generateKey, limitRate } from '../../../src/business/accounts/credentials.ts'
import { openRateLimiter } from '../../../src/business/accounts/rate-limit/rate-limit.ts'
import { type Answer, startApp } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'

const lookup = '/contacts?email=nobody@example.com'

/** The rate limit headers. A window that began in this test has most of its minute left: its `t` is replaced by T. */
function rateLimitHeaders({ headers }: Answer) {
  const limit =
    headers.ratelimit === undefined ? undefined : String(headers.ratelimit).replace(/(?<=;t=)([45]\d|60)$/, 'T')
  return [headers['ratelimit-policy'], limit, headers['retry-after']]
}

test('exactly the limit of requests passes, one after another', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '5' })
  const shop = await app.makeAccount()
  for (const remaining of [4, 3, 2, 1, 0]) {
    const answer = await shop.get(lookup)
    assert.equal(answer.status, 404)
    assert.deepEqual(rateLimitHeaders(answer), ['"key";q=5;w=60', `"key";r=${remaining};t=T`, undefined])
  }
  const refused = await shop.get(lookup)
  assertRefused(refused, 'RATE_LIMITED', { says: /\d+ s/ })
  const { 'retry-after': retryAfter, ratelimit, 'ratelimit-policy': policy } = refused.headers
  assert.match(String(retryAfter), /^([45]\d|60)$/)
  assert.deepEqual([policy, ratelimit], ['"key";q=5;w=60', `"key";r=0;t=${retryAfter}`])
})

test('exactly the limit of requests passes, all at once, and the refused ones change nothing', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '25' })
  const shop = await app.makeAccount()
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, index) => shop.post('/contacts', { email: `a${index}@example.com` })),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 25)
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(refused.length, 95)
  for (const answer of refused) assertRefused(answer, 'RATE_LIMITED')
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, 25)
})

test('every authenticated answer has the rate limit headers, whatever its status; one to a wrong key has none', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const key = shop.apiKey
  const answers = [
    await shop.post('/contacts', { phone: '+15551234567' }),
    await shop.post('/contacts', { phone: '+15551234567' }),
    await shop.post('/contacts', { phone: 'nonsense' }),
    await shop.post('/contacts', { phone: 1 }),
    await app.call('POST', '/contacts', { key, raw: '{' }),
    await app.call('POST', '/contacts', { key, raw: '{}', headers: { 'content-type': 'text/plain' } }),
    await app.call('POST', '/contacts', { key, raw: 'x'.repeat(300_000) }),
    await shop.get(lookup),
    await shop.get('/contacts'),
    await shop.post('/lists/x/contacts', { contactId: 'x' }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 400, 400, 400, 400, 413, 404, 400, 404],
  )
  for (const [index, answer] of answers.entries()) {
    assert.deepEqual(rateLimitHeaders(answer), ['"key";q=600;w=60', `"key";r=${599 - index};t=T`, undefined])
  }
  for (const wrong of [newApiKey(), 'x', '']) {
    assert.deepEqual(rateLimitHeaders(await app.call('GET', lookup, { key: wrong })), [undefined, undefined, undefined])
  }
})

test('wrong keys and wrong methods do not count', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '2' })
  const shop = await app.makeAccount()
  for (const key of [newApiKey(), `${shop.apiKey}x`, 'x']) await app.call('GET', lookup, { key })
  for (const method of ['PUT', 'DELETE', 'OPTIONS']) await app.call(method, '/contacts', { key: shop.apiKey })
  assert.deepEqual(rateLimitHeaders(await shop.get(lookup)), ['"key";q=2;w=60', '"key";r=1;t=T', undefined])
})

test('the limit is counted per key, not per address', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '1' })
  const [shop, rival] = [await app.makeAccount(), await app.makeAccount()]
  assert.deepEqual([(await shop.get(lookup)).status, (await shop.get(lookup)).status], [404, 429])
  assert.deepEqual([(await rival.get(lookup)).status, (await rival.get(lookup)).status], [404, 429])
  const fresh = await generateKey(app.db, shop.accountId)
  assert.equal((await app.call('GET', lookup, { key: fresh })).status, 404)
})

test('a key in the header and the same key in the query share one limit', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '1' })
  const shop = await app.makeAccount()
  assert.equal((await shop.get(lookup)).status, 404)
  assert.equal((await app.call('GET', lookup, { headers: { 'x-api-key': shop.apiKey } })).status, 429)
})

test('an account may have a limit of its own, or none', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '1' })
  const [small, free, plain] = [await app.makeAccount(), await app.makeAccount(), await app.makeAccount()]
  await limitRate(app.db, small.email, 2)
  await limitRate(app.db, free.email, 0)
  await limitRate(app.db, plain.email, 9)
  await limitRate(app.db, plain.email, null)

  const statuses = async (get: (path: string) => Promise<Answer>) => {
    const answers = [await get(lookup), await get(lookup), await get(lookup)]
    return [answers.map(({ status }) => status), answers[0]?.headers['ratelimit-policy']]
  }
  assert.deepEqual(await statuses(small.get), [[404, 404, 429], '"key";q=2;w=60'])
  assert.deepEqual(await statuses(free.get), [[404, 404, 404], undefined])
  assert.deepEqual(await statuses(plain.get), [[404, 429, 429], '"key";q=1;w=60'])
  for (const wrong of [-1, 1.5, Number.NaN, 1e12]) {
    await assert.rejects(limitRate(app.db, small.email, wrong), { name: 'Refusal', code: 'INVALID_REQUEST' })
  }
})

test('a limit of 0 switches it off, and the answers have no rate limit headers', async () => {
  await using app = await startApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  const answers = await Promise.all(Array.from({ length: 700 }, () => shop.get(lookup)))
  for (const answer of answers) {
    assert.equal(answer.status, 404)
    assert.deepEqual(rateLimitHeaders(answer), [undefined, undefined, undefined])
  }
})

test('a window starts with the first request, lasts a minute, and is then followed by a new one', (t) => {
  let now = 1_000_000
  t.mock.method(performance, 'now', () => now)
  const take = openRateLimiter(2)
  const ask = (key = 'a') => take({ key, rateLimitPerMinute: null })

  assert.deepEqual(ask(), { allowed: true, limit: 2, remaining: 1, resetsInSeconds: 60 })
  now += 30_000.5
  assert.deepEqual(ask(), { allowed: true, limit: 2, remaining: 0, resetsInSeconds: 30 })
  assert.deepEqual(ask('b'), { allowed: true, limit: 2, remaining: 1, resetsInSeconds: 60 })
  now += 29_999
  assert.deepEqual(ask(), { allowed: false, limit: 2, remaining: 0, resetsInSeconds: 1 })
  now += 0.5 // a caller who waited for Retry-After is served
  assert.deepEqual(ask(), { allowed: true, limit: 2, remaining: 1, resetsInSeconds: 60 })
  assert.deepEqual(ask('b'), { allowed: true, limit: 2, remaining: 0, resetsInSeconds: 31 })
})

test('refused requests neither count nor keep a window open', (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const take = openRateLimiter(3)
  const ask = () => take({ key: 'a', rateLimitPerMinute: null })
  for (let minute = 0; minute < 5; minute += 1) {
    now = minute * 60_000
    const passed = []
    for (; now < (minute + 1) * 60_000; now += 1_000) passed.push(ask()?.allowed)
    assert.deepEqual(passed.filter(Boolean), [true, true, true])
  }
})

test('a limit that is lowered within a window holds for the rest of it', (t) => {
  t.mock.method(performance, 'now', () => 0)
  const take = openRateLimiter(10)
  const ask = (rateLimitPerMinute: number | null) => take({ key: 'a', rateLimitPerMinute })
  for (let count = 0; count < 5; count += 1) ask(null)
  assert.deepEqual(ask(3), { allowed: false, limit: 3, remaining: 0, resetsInSeconds: 60 })
  assert.equal(ask(0), undefined)
  assert.deepEqual(ask(6), { allowed: true, limit: 6, remaining: 0, resetsInSeconds: 60 })
})
