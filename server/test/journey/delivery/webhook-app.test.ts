import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { hashPassword } from '../../../src/business/accounts/password.ts'
import {
  passTime,
  saveUrl,
  sendOne,
  startDelivering,
  untilMessage,
  untilMessages,
  verify,
} from '../../helpers/deliveries.ts'
import { sharedApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { addMember, type SignedIn, signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

const webhookOf = async (browser: SignedIn) => (await browser.call('GET', '/api/webhook')).body.webhook

async function setPassword(app: TestApp, { userId }: TestAccount, password: string): Promise<void> {
  const passwordHash = await hashPassword(password)
  await app.db.updateTable('users').set({ passwordHash }).where('id', '=', userId).execute()
}

test('an address that is saved in the app gets the replies; a private one is refused with its reason, and changes nothing', async () => {
  await using app = await startDelivering({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1' })
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  assert.deepEqual((await browser.call('GET', '/api/webhook')).body, { webhook: null, undelivered: 0 })
  const saved = await browser.call('PUT', '/api/webhook', { url: receiver.url })
  assert.equal(saved.status, 200)
  assert.deepEqual([saved.body.webhook.url, saved.body.webhook.state], [receiver.url, 'working'])
  for (const url of ['http://10.0.0.7/', 'ftp://example.com/', 'no address', 'http://[::ffff:10.0.0.7]/']) {
    const refused = await browser.call('PUT', '/api/webhook', { url })
    assert.equal(refused.status, 400, url)
    assert.equal(refused.body.error.code, 'INVALID_REQUEST')
    assert.ok(refused.body.error.message.length > 10)
  }
  await sendOne(shop)
  await untilMessage(app, shop, ({ status }) => status === 'Sent')
  const { url, attempts, owed, lastFault } = await webhookOf(browser)
  assert.deepEqual([url, attempts.length, attempts[0].ok, owed, lastFault], [receiver.url, 1, true, 0, null])
})

test('a test makes two posts, and its result is kept with the address; a failed one changes nothing else', async () => {
  await using app = await startDelivering()
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  assert.equal((await browser.call('POST', '/api/webhook/test')).status, 404)
  let isChecking = true
  let secret = ''
  await using receiver = await startReceiver((request, response) => {
    let status = 204
    try {
      verify(secret, request)
    } catch {
      if (isChecking) status = 401
    }
    response.writeHead(status).end()
  })
  secret = await saveUrl(app, shop, receiver.url)
  const good = await browser.call('POST', '/api/webhook/test')
  assert.deepEqual([good.status, good.body.status, good.body.checksSignature], [200, 'Sent', true])
  isChecking = false
  const careless = await browser.call('POST', '/api/webhook/test')
  assert.equal(careless.body.checksSignature, false)
  assert.equal(receiver.requests.length, 4)
  assert.deepEqual((await webhookOf(browser)).lastTest, careless.body)
  await browser.call('PUT', '/api/webhook', { url: 'http://127.0.0.1:1/' })
  assert.equal((await webhookOf(browser)).lastTest, null)
  const refused = await browser.call('POST', '/api/webhook/test')
  assert.deepEqual([refused.status, refused.body.status, refused.body.checksSignature], [200, 'Failed', null])
  assert.equal(refused.body.fault.category, 'connection_refused')
  const { state, failuresInRow } = await webhookOf(browser)
  assert.deepEqual([state, failuresInRow], ['working', 0])
})

test('a failing receiver is shown with its cause, since when, and what waits; trying now makes the next attempt at once', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '3000,3000' })
  let status = 503
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end('come back later'))
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  await saveUrl(app, shop, receiver.url)
  assert.equal((await browser.call('POST', '/api/webhook/try')).status, 409)
  for (let n = 0; n < 12; n += 1) await sendOne(shop, { fromId: `contact ${n}` })
  await until(async () => (await webhookOf(browser)).probeAt !== null, 'the breaker did not open')
  const failing = await webhookOf(browser)
  assert.equal(failing.state, 'failing')
  assert.ok(failing.failuresInRow >= 10 && failing.owed === 12 && failing.failingSince !== null)
  assert.deepEqual(failing.lastFault, { category: 'http_error', httpStatus: 503, detail: 'come back later' })
  assert.ok(failing.attempts.length >= 10 && failing.attempts.every(({ ok }: { ok: boolean }) => !ok))
  status = 200
  const tried = await browser.call('POST', '/api/webhook/try')
  assert.equal(tried.status, 200)
  await untilMessages(app, shop, (messages) => messages.every((message) => message.status === 'Sent'))
  const back = await webhookOf(browser)
  assert.deepEqual(
    [back.state, back.owed, back.probeAt, back.failingSince, back.lastFault],
    ['working', 0, null, null, null],
  )
  assert.equal(back.attempts.at(-1).ok, true)
})

test('a pause holds replies back and loses none; resuming sends them', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  assert.equal((await browser.call('POST', '/api/webhook/pause')).status, 404)
  await saveUrl(app, shop, receiver.url)
  assert.equal((await browser.call('POST', '/api/webhook/pause')).body.webhook.state, 'paused')
  await sendOne(shop)
  await untilMessage(app, shop, ({ error }) => error?.category === 'endpoint_paused')
  assert.equal((await webhookOf(browser)).undelivered, 1)
  assert.equal((await browser.call('POST', '/api/webhook/try')).status, 409)
  assert.equal((await browser.call('POST', '/api/webhook/resume')).body.webhook.state, 'working')
  await untilMessage(app, shop, ({ status }) => status === 'Sent')
  assert.equal(receiver.requests.length, 1)
})

test('the secret is shown only after the password, whose guessing is slowed down', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await setPassword(app, shop, 'correct horse battery')
  const browser = await signIn(app, shop)
  const secret = await saveUrl(app, shop, 'http://127.0.0.1:1/hook')
  const reveal = (password: string) => browser.call('POST', '/api/webhook/secret', { password })
  assert.deepEqual((await reveal('correct horse battery')).body, { secret })
  for (let n = 0; n < 5; n += 1) {
    const refused = await reveal(`guess ${n}`)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'])
  }
  const slowed = await reveal('correct horse battery')
  assert.equal(slowed.status, 429)
  assert.match(String(slowed.headers['retry-after']), /^\d+$/)
  const signingIn = { body: { email: shop.email, password: 'correct horse battery' } }
  const sameSite = { headers: { 'sec-fetch-site': 'same-origin' } }
  assert.equal((await app.call('POST', '/api/session', { ...signingIn, ...sameSite })).status, 429)
})

test('a new secret signs together with the old one for a day; of a leaked one, alone', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  assert.equal((await browser.call('POST', '/api/webhook/rotate', { leaked: false })).status, 404)
  const first = await saveUrl(app, shop, 'http://127.0.0.1:1/hook')
  const rotated = await browser.call('POST', '/api/webhook/rotate', { leaked: false })
  assert.match(rotated.body.secret, /^whsec_/)
  assert.notEqual(rotated.body.secret, first)
  const until = new Date((await webhookOf(browser)).oldSecretUntil).getTime()
  assert.ok(Math.abs(until - Date.now() - 86_400_000) < 60_000)
  const dropped = await browser.call('DELETE', '/api/webhook/old-secret')
  assert.equal(dropped.body.webhook.oldSecretUntil, null)
  const { rows } = await sql`select from receivers where old_secret is not null`.execute(app.db)
  assert.equal(rows.length, 0)
  await browser.call('POST', '/api/webhook/rotate', { leaked: false })
  await passTime(app.db, '25 hours')
  assert.equal((await webhookOf(browser)).oldSecretUntil, null)
  await browser.call('POST', '/api/webhook/rotate', { leaked: false })
  await browser.call('POST', '/api/webhook/rotate', { leaked: true })
  assert.equal((await webhookOf(browser)).oldSecretUntil, null)
})

test('a member sees the receiver and cannot change it; another account does not see it', async () => {
  await using app = await sharedApp()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  await saveUrl(app, shop, 'http://127.0.0.1:1/hook')
  const userId = await addMember(app, shop.accountId, 'mia@example.com')
  const member = await signIn(app, { ...shop, userId })
  assert.equal((await webhookOf(member)).url, 'http://127.0.0.1:1/hook')
  for (const [method, path, body] of [
    ['PUT', '/api/webhook', { url: 'http://127.0.0.1:1/else' }],
    ['POST', '/api/webhook/test', undefined],
    ['POST', '/api/webhook/try', undefined],
    ['POST', '/api/webhook/pause', undefined],
    ['POST', '/api/webhook/resume', undefined],
    ['POST', '/api/webhook/secret', { password: 'correct horse battery' }],
    ['POST', '/api/webhook/rotate', { leaked: true }],
    ['DELETE', '/api/webhook/old-secret', undefined],
  ] as const) {
    assert.equal((await member.call(method, path, body)).status, 403, path)
  }
  const stranger = await signIn(app, other)
  assert.deepEqual((await stranger.call('GET', '/api/webhook')).body, { webhook: null, undelivered: 0 })
  assert.equal((await webhookOf(member)).url, 'http://127.0.0.1:1/hook')
})
