import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { newId } from '../../../src/platform/ids.ts'
import { passTime, saveUrl, sendOne, startDelivering, untilMessage, untilMessages } from '../../helpers/deliveries.ts'
import { sharedApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { type SignedIn, signIn } from '../../helpers/sessions.ts'

type Listed = { id: string; status: string; text: string; contactName: string | null; attempts: number }

const list = async (browser: SignedIn, query = ''): Promise<{ deliveries: Listed[]; next: string | null }> => {
  const { status, body } = await browser.call('GET', `/api/deliveries${query}`)
  assert.equal(status, 200)
  return body
}

const texts = ({ deliveries }: { deliveries: Listed[] }) => deliveries.map(({ text }) => text)

/** A receiver that takes what does not say "fail". */
const choosy = () =>
  startReceiver((request, response) => response.writeHead(request.body.includes('fail') ? 500 : 200).end('no room'))

/** Replies that wait, were sent and failed, of two contacts; none is tried again by itself. */
async function makeLog(app: TestApp, shop: TestAccount, url: string): Promise<void> {
  await saveUrl(app, shop, url)
  for (const body of ['one', 'fail two', 'three', 'fail four']) {
    await sendOne(shop, {
      body,
      fromId: body.startsWith('fail') ? 'ben' : 'ana',
      firstName: body.startsWith('fail') ? 'Ben' : 'Ana',
    })
  }
  await untilMessages(app, shop, (messages) => messages.every(({ status }) => status !== 'Waiting'))
}

test('the log lists replies newest first, by status, in pages, and counts those in trouble', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '1000' })
  await using receiver = await choosy()
  const shop = await app.makeAccount()
  await makeLog(app, shop, receiver.url)
  const browser = await signIn(app, shop)
  assert.deepEqual(texts(await list(browser)), ['fail four', 'three', 'fail two', 'one'])
  assert.deepEqual(texts(await list(browser, '?filter=failed')), ['fail four', 'fail two'])
  assert.deepEqual(texts(await list(browser, '?filter=sent')), ['three', 'one'])
  assert.deepEqual(texts(await list(browser, '?filter=waiting')), [])
  assert.deepEqual((await browser.call('GET', '/api/deliveries/counts')).body, { failed: 2, waiting: 0 })
  for (const [filter, expected] of [
    ['all', ['fail four', 'three', 'fail two', 'one']],
    ['failed', ['fail four', 'fail two']],
    ['sent', ['three', 'one']],
  ] as const) {
    const seen: string[] = []
    let before = ''
    for (let pages = 0; pages < 5; pages += 1) {
      const page = await list(browser, `?limit=1&filter=${filter}${before}`)
      assert.ok(page.deliveries.length <= 1)
      seen.push(...texts(page))
      if (page.next === null) break
      before = `&before=${encodeURIComponent(page.next)}`
    }
    assert.deepEqual(seen, expected, filter)
  }
  const [first] = (await list(browser)).deliveries
  const { fault, maxAttempts, nextAttemptAt, author } = first as unknown as Record<string, unknown>
  assert.deepEqual(
    [fault, maxAttempts, author],
    [{ category: 'http_error', httpStatus: 500, detail: 'no room' }, 2, 'api'],
  )
  assert.ok(nextAttemptAt)
})

test('replies that wait in line are listed in pages, without those that failed', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  for (const body of ['one', 'two', 'three', 'four']) await sendOne(shop, { body })
  await sql`update deliveries set error_category = 'timeout', attempts = 1 where payload like '%three%'`.execute(app.db)
  assert.deepEqual(texts(await list(browser, '?filter=waiting')), ['four', 'two', 'one'])
  const page = await list(browser, '?filter=waiting&limit=2')
  assert.deepEqual(texts(page), ['four', 'two'])
  const rest = await list(browser, `?filter=waiting&limit=2&before=${encodeURIComponent(page.next ?? '')}`)
  assert.deepEqual([texts(rest), rest.next], [['one'], null])
  assert.deepEqual((await browser.call('GET', '/api/deliveries/counts')).body, { failed: 1, waiting: 3 })
  for (const before of [
    'x',
    `${newId('msg')}~yesterday`,
    `${newId('msg')}~2026-99-99 00:00:00+00`,
    `${newId('con')}~`,
  ]) {
    const refused = await browser.call('GET', `/api/deliveries?filter=waiting&before=${encodeURIComponent(before)}`)
    assert.equal(refused.status, 400, before)
  }
})

test('sent replies are found behind any number of others', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  await sendOne(shop, { body: 'the only one' })
  await sql`update deliveries set sent_at = now(), due_at = null`.execute(app.db)
  await sql`
    insert into deliveries (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload)
    select account_id, 'msg_f' || lpad(to_hex(n), 31, '0'), receiver_id, contact_id, n, author, payload
    from deliveries cross join generate_series(2, 2990) as n
  `.execute(app.db)
  await sql`
    insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, outgoing_seq)
    select d.account_id, d.id, d.contact_id, m.seq + d.outgoing_seq, m.direction, m.author, m.kind, m.status, 'waits', d.outgoing_seq
    from deliveries d join messages m on m.contact_id = d.contact_id where d.id <> m.id
  `.execute(app.db)
  const { contactId } = await app.db.selectFrom('messages').select('contactId').limit(1).executeTakeFirstOrThrow()
  for (const [query, expected] of [
    ['?filter=sent', 2],
    [`?filter=sent&q=${contactId}`, 30],
  ] as const) {
    let page = await list(browser, query)
    let pages = 1
    for (; page.deliveries.length === 0 && page.next !== null; pages += 1) {
      page = await list(browser, `${query}&before=${encodeURIComponent(page.next)}`)
    }
    assert.deepEqual([texts(page), page.next, pages], [['the only one'], null, expected], query)
  }
})

test('the log is searched by the id of a message, the id of a contact, and a name', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '1000' })
  await using receiver = await choosy()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  await makeLog(app, shop, receiver.url)
  const browser = await signIn(app, shop)
  const [four] = (await list(browser)).deliveries as unknown as { id: string; contactId: string }[]
  assert.ok(four)
  assert.deepEqual(texts(await list(browser, `?q=${four.id}`)), ['fail four'])
  assert.deepEqual(texts(await list(browser, `?q=${four.id}&filter=sent`)), [])
  assert.deepEqual(texts(await list(browser, `?q=${four.contactId}`)), ['fail four', 'fail two'])
  assert.deepEqual(texts(await list(browser, `?q=${four.contactId}&filter=failed`)), ['fail four', 'fail two'])
  assert.deepEqual(texts(await list(browser, '?q=AN')), ['three', 'one'])
  assert.deepEqual(texts(await list(browser, '?q=an&filter=sent&limit=1')), ['three'])
  assert.deepEqual(texts(await list(browser, '?q=an&filter=waiting')), [])
  assert.deepEqual(texts(await list(browser, '?q=nobody')), [])
  const stranger = await signIn(app, other)
  for (const q of [four.id, four.contactId, 'ben']) assert.deepEqual(texts(await list(stranger, `?q=${q}`)), [])
})

test('a delivery shows its attempts, the bytes of its payload, and headers that verify', async () => {
  await using app = await startDelivering()
  const answers = [500, 503, 200]
  await using receiver = await startReceiver((_request, response) =>
    response.writeHead(answers.shift() ?? 500).end('no'),
  )
  const shop = await app.makeAccount()
  const secret = await saveUrl(app, shop, `${receiver.url}hook?token=1`)
  const id = await sendOne(shop, { body: 'Grüße 👋' })
  await passTime(app.db, '10 minutes') // a 503 waits a minute at least
  await untilMessage(app, shop, ({ attempts }) => attempts >= 2)
  await passTime(app.db, '10 minutes')
  await untilMessage(app, shop, ({ status }) => status === 'Sent')
  const browser = await signIn(app, shop)
  const { body } = await browser.call('GET', `/api/deliveries/${id}`)
  assert.deepEqual(
    body.attempts.map(({ n, fault }: { n: number; fault: { httpStatus: number } | null }) => [n, fault?.httpStatus]),
    [
      [3, undefined],
      [2, 503],
      [1, 500],
    ],
  )
  assert.equal(body.url, `${receiver.url}hook?token=1`)
  assert.equal(body.payload, receiver.requests[0]?.body.toString())
  const headers = Object.fromEntries(
    body.headers.map(({ name, value }: { name: string; value: string }) => [name, value]),
  )
  assert.equal(headers['patchbay-attempt'], '4')
  new Webhook(secret).verify(body.payload, headers)
  const sent = receiver.requests[0]?.headers ?? {}
  for (const name of Object.keys(headers)) assert.ok(name in sent, name)
})

test('sending again makes one attempt under the same id; all failed ones of a window leave together', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '1000' })
  let status = 500
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end())
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  await saveUrl(app, shop, receiver.url)
  const id = await sendOne(shop, { fromId: 'one' })
  await sendOne(shop, { fromId: 'two' })
  await sendOne(shop, { fromId: 'three' })
  await untilMessages(app, shop, (messages) => messages.every((message) => message.status === 'Failed'))
  status = 200
  const [browser, stranger] = [await signIn(app, shop), await signIn(app, other)]
  for (const path of [`/api/deliveries/${id}`, `/api/deliveries/${id}/resend`]) {
    const method = path.endsWith('resend') ? 'POST' : 'GET'
    const [foreign, unknown] = [
      await stranger.call(method, path),
      await stranger.call(method, path.replace(id, newId('msg'))),
    ]
    assert.deepEqual([foreign.status, unknown.status], [404, 404])
  }
  const again = await browser.call('POST', `/api/deliveries/${id}/resend`)
  assert.deepEqual([again.status, again.body.delivery.id], [200, id])
  await untilMessages(app, shop, (messages) =>
    messages.some((message) => message.id === id && message.status === 'Sent'),
  )
  assert.equal(receiver.requests.filter(({ headers }) => headers['webhook-id'] === id).length, 2)
  const resend = (since: Date) => browser.call('POST', '/api/deliveries/resend', { since: since.toISOString() })
  assert.equal((await resend(new Date(Date.now() - 15 * 86_400_000))).status, 400)
  assert.deepEqual((await resend(new Date(Date.now() - 60_000))).body, { resent: 2 })
  await untilMessages(app, shop, (messages) => messages.every((message) => message.status === 'Sent'))
  for (const wrong of ['not an id', 'evt_019a8c5e10f27b3c8d9e4a6b7c5f0123']) {
    assert.equal((await browser.call('POST', `/api/deliveries/${encodeURIComponent(wrong)}/resend`)).status, 404)
  }
})
