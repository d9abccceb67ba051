import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { resendFailed, resendOne } from '../../src/journey/delivery/resend/resend.ts'
import {
  pauseReceiver,
  removeWebhook,
  requireWebhook,
  rotateSecret,
  showWebhooks,
} from '../../src/journey/delivery/transports/webhook/webhooks.ts'
import { listAttempts } from '../../src/journey/messages/attempt-log.ts'
import { isId } from '../../src/platform/ids.ts'
import { allSent, passTime, saveUrl, sendOne, untilMessage, untilMessages, verify } from '../helpers/deliveries.ts'
import { secretKey, sharedApp, type TestAccount, type TestApp } from '../helpers/harness.ts'
import { type Received, type Receiver, startReceiver } from '../helpers/receivers.ts'

/** Delivers, retries after hours, and has the usual timeout: no receiver hangs here. */
const hourly = { ROLE: 'all', DELIVERY_RETRY_SECONDS: '3600,3600,3600,3600' }

function rotate({ db }: TestApp, { accountId }: TestAccount, isLeaked = false): Promise<string> {
  return rotateSecret({ db, secretKey }, { accountId, receiverId: 'reply' }, { isLeaked })
}

/** How many signatures a request has, and which of the secrets verify it. */
function signed(request: Received | undefined, secrets: string[]): [signatures: number, verified: number[]] {
  assert.ok(request)
  const isVerified = (secret: string) => {
    try {
      return verify(secret, request) !== undefined
    } catch {
      return false
    }
  }
  const verified = secrets.flatMap((secret, n) => (isVerified(secret) ? [n] : []))
  return [String(request.headers['webhook-signature']).split(' ').length, verified]
}

/** Sends a message and returns what arrived of it. */
async function deliverOne(app: TestApp, account: TestAccount, receiver: Receiver): Promise<Received | undefined> {
  await sendOne(account)
  await untilMessages(app, account, allSent)
  return receiver.requests.at(-1)
}

test('after a rotation both secrets sign for a day, then only the new one, and never more than two', async () => {
  await using app = await sharedApp(hourly)
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  const secrets = [await saveUrl(app, shop, receiver.url)]
  const next = async () => signed(await deliverOne(app, shop, receiver), secrets)
  const show = async () => (await showWebhooks({ db: app.db, secretKey }, shop.accountId))[0]?.secrets
  assert.deepEqual(await next(), [1, [0]])
  secrets.push(await rotate(app, shop))
  assert.deepEqual(await next(), [2, [0, 1]])
  const [request] = receiver.requests.slice(-1)
  const [first = ''] = String(request?.headers['webhook-signature']).split(' ')
  verify(secrets[1] ?? '', {
    headers: { ...request?.headers, 'webhook-signature': first },
    body: request?.body ?? Buffer.of(),
  })
  await passTime(app.db, '23 hours 59 minutes')
  assert.deepEqual(await next(), [2, [0, 1]])
  await passTime(app.db, '1 minute')
  assert.deepEqual(await next(), [1, [1]])
  assert.deepEqual(await show(), [secrets[1]])

  for (let n = 0; n < 3; n += 1) secrets.push(await rotate(app, shop))
  assert.equal(new Set(secrets).size, 5)
  assert.deepEqual(await show(), [secrets[4], secrets[3]])
  assert.deepEqual(await next(), [2, [3, 4]])
  secrets.push(await rotate(app, shop, true))
  assert.deepEqual(await next(), [1, [5]])
  secrets.push(await rotate(app, shop, true))
  assert.deepEqual(await next(), [1, [6]])
  assert.deepEqual(await show(), [secrets[6]])
  assert.equal(await saveUrl(app, shop, `${receiver.url}elsewhere`), secrets[6], 'another address keeps the secret')
})

test('each attempt uses the current URL and secrets, and sends the same event with the same id', async () => {
  await using app = await sharedApp(hourly)
  await using bad = await startReceiver((_request, response) => response.writeHead(500).end())
  await using good = await startReceiver()
  const shop = await app.makeAccount()
  const receiver = { accountId: shop.accountId, receiverId: 'reply' as const }
  const secrets = [await saveUrl(app, shop, `${bad.url}one?token=1`)]
  const id = await sendOne(shop)
  await untilMessage(app, shop, ({ attempts }) => attempts === 1)
  secrets.push(await rotate(app, shop))
  await passTime(app.db, '2 hours')
  await untilMessage(app, shop, ({ attempts }) => attempts === 2)
  await saveUrl(app, shop, `${bad.url}two?token=2`) // no time passes: a new URL retries at once
  await untilMessage(app, shop, ({ attempts }) => attempts === 3)
  await passTime(app.db, '23 hours') // only the new secret is left
  await untilMessage(app, shop, ({ attempts }) => attempts === 4)
  assert.deepEqual(
    bad.requests.map((request) => [request.path, ...signed(request, secrets)]),
    [
      ['/one?token=1', 1, [0]],
      ['/one?token=1', 2, [0, 1]],
      ['/two?token=2', 2, [0, 1]],
      ['/two?token=2', 1, [1]],
    ],
  )

  await removeWebhook(app.db, receiver)
  await resendOne(app.db, shop.accountId, id)
  const lost = await untilMessage(app, shop, ({ error }) => error?.category === 'no_endpoint')
  assert.deepEqual([lost.status, lost.attempts, lost.nextAttemptAt], ['Failed', 4, null])
  secrets.push(await saveUrl(app, shop, good.url))
  assert.equal(new Set(secrets).size, 3, 'the secret went with the address')
  await resendOne(app.db, shop.accountId, id)
  await untilMessages(app, shop, allSent)
  assert.deepEqual(signed(good.requests[0], secrets), [1, [2]])
  for (const request of [...bad.requests, ...good.requests]) {
    assert.deepEqual([request.headers['webhook-id'], request.body], [id, bad.requests[0]?.body])
  }
  assert.ok(isId('msg', id))
  const attempts = await listAttempts(app.db, shop.accountId, id)
  assert.deepEqual(
    attempts.map(({ n, url, category, httpStatus }) => [n, url, category, httpStatus]),
    [
      [5, good.url, null, null],
      [4, `${bad.url}two`, 'http_error', 500],
      [3, `${bad.url}two`, 'http_error', 500],
      [2, `${bad.url}one`, 'http_error', 500],
      [1, `${bad.url}one`, 'http_error', 500],
    ],
  )
})

test('a response from the old URL does not change the state of the new one', async () => {
  await using app = await sharedApp(hourly)
  const { promise: saved, resolve: save } = Promise.withResolvers<void>()
  await using old = await startReceiver(async (_request, response) => {
    await saved
    response.writeHead(410).end()
  })
  const { promise: looked, resolve: goOn } = Promise.withResolvers<void>()
  await using fresh = await startReceiver(async (_request, response) => {
    await looked
    response.writeHead(500).end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, old.url)
  await sendOne(shop)
  while (old.requests.length === 0) await new Promise(setImmediate)
  await saveUrl(app, shop, fresh.url)
  save()
  await untilMessage(app, shop, ({ attempts }) => attempts === 1)
  const [endpoint] = await showWebhooks({ db: app.db, secretKey }, shop.accountId)
  assert.deepEqual([endpoint?.url, endpoint?.state, endpoint?.failuresInRow], [fresh.url, 'working', 0])
  goOn()
  await untilMessage(app, shop, ({ attempts }) => attempts === 2)
})

/** Everything that one account has, as text. */
async function stateOf({ db }: TestApp, { accountId }: TestAccount): Promise<string> {
  const { rows } = await sql<{ row: string }>`
    select e::text as row from receivers e where account_id = ${accountId}
    union all select d::text from deliveries d where account_id = ${accountId}
    union all select m::text from messages m where account_id = ${accountId} order by 1
  `.execute(db)
  assert.ok(rows.length >= 4)
  return rows.map(({ row }) => row).join('\n')
}

test("one account neither sees nor changes another's addresses, secrets and messages", async () => {
  await using app = await sharedApp(hourly)
  await using bad = await startReceiver((_request, response) => response.writeHead(500).end())
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  const ctx = { db: app.db, secretKey }
  await saveUrl(app, other, `${bad.url}other`)
  await saveUrl(app, other, `${bad.url}recharge`, 'recharge')
  const id = await sendOne(other)
  await untilMessages(app, other, ([message]) => message?.status === 'Failed')
  const before = await stateOf(app, other)
  const mine = { accountId: shop.accountId, receiverId: 'reply' as const }

  assert.deepEqual(await showWebhooks(ctx, shop.accountId), [])
  await assert.rejects(requireWebhook(ctx, mine), /No address for reply events is saved/)
  await assert.rejects(rotate(app, shop), /No address/)
  await assert.rejects(pauseReceiver(app.db, mine, { isPaused: true }), /No address/)
  await assert.rejects(removeWebhook(app.db, mine), /No address/)
  await assert.rejects(resendOne(app.db, shop.accountId, id), /There is no outgoing message/)
  assert.equal(await resendFailed(app.db, shop.accountId, new Date(Date.now() - 60_000).toISOString()), 0)
  assert.ok(isId('msg', id))
  assert.deepEqual(await listAttempts(app.db, shop.accountId, id), [])
  await saveUrl(app, shop, `${bad.url}shop`)
  await rotate(app, shop)
  for (const isPaused of [true, false]) await pauseReceiver(app.db, mine, { isPaused })
  await removeWebhook(app.db, mine)
  assert.equal(await stateOf(app, other), before)
})
