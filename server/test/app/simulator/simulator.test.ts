import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resendFailed } from '../../../src/journey/delivery/resend/resend.ts'
import { makeTurnsDue, untilAnswered, write as writeAs } from '../../helpers/bots.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { startMeteredBot } from '../../helpers/metered-bot.ts'
import { type SignedIn, signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

async function start() {
  const app = await sharedApp({ ROLE: 'all', DELIVERY_RETRY_SECONDS: '1,3600' })
  const account = await app.makeAccount()
  return { app, account, browser: await signIn(app, account) }
}

async function makeContact(browser: SignedIn): Promise<string> {
  const { body } = await browser.call('POST', '/api/simulator/contacts', { firstName: 'Ana' })
  return body.contactId
}

const write = (browser: SignedIn, contactId: string, message: object) =>
  browser.call('POST', `/api/simulator/contacts/${contactId}/messages`, message)

const eventsOf = async (browser: SignedIn, contactId: string) =>
  (await browser.call('GET', `/api/simulator/contacts/${contactId}/events`)).body.events

const statusOf = async (app: TestApp) =>
  (
    await app.pools.keys.query(
      'select receiver_id, attempts, sent_at, error_category, error_http_status from deliveries',
    )
  ).rows

test('a simulated message is answered, and the reply reaches the simulated receiver signed, without a request', async () => {
  const { app, browser } = await start()
  await using _ = app
  const contactId = await makeContact(browser)
  assert.equal((await write(browser, contactId, { body: 'Hello' })).status, 200)
  await until(async () => (await statusOf(app))[0]?.sent_at, 'the reply was not delivered')
  const events = await eventsOf(browser, contactId)
  assert.deepEqual(
    events.map(({ kind }: { kind: string }) => kind),
    ['reply', 'decision', 'incoming'],
  )
  const { post } = events[0]
  assert.equal(post.isSignatureValid, true)
  assert.equal(JSON.parse(post.body).contactId, contactId)
  assert.equal((await statusOf(app))[0].receiver_id, 'simulator')
})

test('a message that is sent twice is kept once', async () => {
  const { app, browser } = await start()
  await using _ = app
  const contactId = await makeContact(browser)
  await write(browser, contactId, { body: 'Hello', twice: true })
  const { rows } = await app.pools.keys.query(`select id from messages where direction = 'incoming'`)
  assert.equal(rows.length, 1)
  const kinds = (await eventsOf(browser, contactId)).map(({ kind }: { kind: string }) => kind)
  assert.ok(kinds.includes('incoming') && kinds.includes('incoming again'))
})

test('a fault lasts for the posts it was set for, and the reply then arrives by itself', async () => {
  const { app, browser } = await start()
  await using _ = app
  const contactId = await makeContact(browser)
  await browser.call('PUT', '/api/simulator/behaviour', { behaviour: 'error 503', times: 1 })
  await write(browser, contactId, { body: 'Hello' })
  await until(async () => (await statusOf(app))[0]?.error_http_status === 503, 'it did not fail')
  const state = (await browser.call('GET', '/api/simulator')).body
  assert.deepEqual([state.behaviour, state.left], ['ok', null])
  // An overloaded receiver is tried again after a minute at the earliest; switching the fault off makes it due at once.
  await browser.call('PUT', '/api/simulator/behaviour', { behaviour: 'ok' })
  await until(async () => (await statusOf(app))[0]?.sent_at, 'it did not arrive')
})

test('a failing simulated receiver leaves the real one and its replies alone', async () => {
  const { app, account, browser } = await start()
  await using _ = app
  const contactId = await makeContact(browser)
  await browser.call('PUT', '/api/simulator/behaviour', { behaviour: 'hang up' })
  await write(browser, contactId, { body: 'Hello' })
  await until(async () => (await statusOf(app))[0]?.error_category === 'connection_reset', 'it did not fail')
  const { rows } = await app.pools.keys.query(`select id, failures_in_row from receivers`)
  assert.deepEqual(
    rows.map(({ id }: { id: string }) => id),
    ['simulator'],
  )
  assert.ok(rows[0].failures_in_row > 0)
  const counts = await app.pools.keys.query(
    `select count(*)::int as n from receivers where account_id = $1 and id = 'reply'`,
    [account.accountId],
  )
  assert.equal(counts.rows[0].n, 0)
})

test('failed replies of the simulator are sent again by the time of their messages, as others are', async () => {
  const { app, account, browser } = await start()
  await using _ = app
  const contactId = await makeContact(browser)
  await browser.call('PUT', '/api/simulator/behaviour', { behaviour: 'hang up' })
  await write(browser, contactId, { body: 'Hello' })
  await until(async () => (await statusOf(app))[0]?.error_category === 'connection_reset', 'it did not fail')
  // Nothing of the simulator is tried again before its last retry, an hour later.
  await until(async () => (await statusOf(app))[0].attempts === 2, 'the retry was not made')
  const since = (ms: number) => new Date(Date.now() - ms).toISOString()
  assert.equal(await resendFailed(app.db, account.accountId, since(-60_000)), 0)
  assert.equal(await resendFailed(app.db, account.accountId, since(60_000)), 1)
})

test('answers to simulated contacts are free of charge, whatever the balance', async () => {
  await using world = await startMeteredBot()
  const { app, db, model, sub, account, balance, grant } = world
  const { accountId } = sub
  const owner = db.selectFrom('users').select('id').where('accountId', '=', accountId).executeTakeFirstOrThrow()
  const browser = await signIn(app, { accountId, userId: (await owner).id })
  const contactId = await makeContact(browser)
  for (const credits of [0, 5]) {
    if (credits > 0) await grant(credits)
    await write(browser, contactId, { body: `A question with ${credits} credits` })
    await makeTurnsDue(db)
    ;(await model.next()).answer(`Answer with ${credits} credits.`)
    await untilAnswered(app)
    assert.deepEqual(await balance(), [credits, 0])
  }
  assert.deepEqual(await db.selectFrom('ledger').select('id').where('kind', '=', 'usage').execute(), [])
  // The same question of somebody real costs a credit.
  await writeAs(account, 'A question')
  await makeTurnsDue(db)
  ;(await model.next()).answer('Answer.')
  await untilAnswered(app)
  assert.deepEqual(await balance(), [4, 0])
})

test('only a simulated contact of the own account can be written as, and starting over erases them all', async () => {
  const { app, account, browser } = await start()
  await using _ = app
  const other = await signIn(app, await app.makeAccount())
  const contactId = await makeContact(browser)
  const real = await account.post('/contacts', { email: 'a@b.co' })
  for (const [who, id] of [
    [other, contactId],
    [browser, real.body.id],
    [browser, 'con_unknown'],
  ] as const) {
    assert.equal((await write(who, id, { body: 'Hello' })).status, 404)
  }
  assert.equal((await other.call('GET', `/api/simulator/contacts/${contactId}/events`)).status, 404)
  await write(browser, contactId, { body: 'Hello' })
  assert.equal((await browser.call('DELETE', '/api/simulator')).status, 200)
  assert.deepEqual((await browser.call('GET', '/api/simulator')).body.contacts, [])
  const { rows } = await app.pools.keys.query('select id from contacts')
  assert.deepEqual(rows, [{ id: real.body.id }])
})
