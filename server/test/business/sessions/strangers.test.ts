import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, type Pool, type QueryConfig } from 'pg'
import { pino } from 'pino'
import { hashToken, newToken } from '../../../src/business/sessions/session-cookie.ts'
import { openSessionLookup } from '../../../src/business/sessions/session-lookup.ts'
import { type Answer, startApp, type TestApp } from '../../helpers/harness.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

const silent = pino({ level: 'silent' })

/** No statement reads or writes these tables until it is released. */
async function lockTables({ database }: TestApp, tables: string) {
  const [holder, watcher] = [new Client(database.address), new Client(database.address)]
  await Promise.all([holder.connect(), watcher.connect()])
  await holder.query(`begin; lock table ${tables} in access exclusive mode`)
  const waiting = async () => {
    const { rows } = await watcher.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length
  }
  return {
    waiting,
    release: () => holder.query('commit'),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([holder.end(), watcher.end()])
    },
  }
}

const sameOrigin = { 'sec-fetch-site': 'same-origin' }

const withRandomCookie = (app: TestApp) =>
  app.call('GET', '/api/session', { headers: { cookie: `__Host-patchbay=${newToken()}` } })

const withRandomLink = (app: TestApp) =>
  app.call('POST', '/api/links', { body: { token: newToken() }, headers: sameOrigin })

/** Every route that anyone may call, with a request that looks something up. */
const ofAnyone: Record<string, (app: TestApp, n: number) => Promise<Answer>> = {
  'POST /api/session': (app, n) =>
    app.call('POST', '/api/session', { body: { email: `${n}@example.com`, password: 'x' }, headers: sameOrigin }),
  'POST /api/links': withRandomLink,
  'POST /api/links/invitation': (app) =>
    app.call('POST', '/api/links/invitation', {
      body: { token: newToken(), name: 'Mia', email: 'mia@example.com', password: 'correct horse' },
      headers: sameOrigin,
    }),
  'POST /api/links/password': (app) =>
    app.call('POST', '/api/links/password', {
      body: { token: newToken(), password: 'correct horse' },
      headers: sameOrigin,
    }),
}

test('random session cookies and links wait on one connection each, and take none from keys, messages and other requests', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  await using locked = await lockTables(app, 'sessions, account_links')
  const flood = Array.from({ length: 25 }, () => [withRandomCookie(app), withRandomLink(app)]).flat()
  await until(async () => (await locked.waiting()) >= 2, 'nothing waits for the locks')
  assert.equal((await shop.get('/contacts?email=a@example.com')).status, 404)
  assert.equal((await shop.post(incomingPath, incoming())).status, 200)
  assert.equal((await shop.post('/contacts', { email: 'a@example.com' })).status, 201)
  assert.equal(await locked.waiting(), 2, 'one query for sessions, and one for links')
  await locked.release()
  await Promise.all(flood)
})

for (const [route, ask] of Object.entries(ofAnyone)) {
  test(`of one client address six requests of ${route} are looked up at a time and 32 wait; more are refused as busy`, async () => {
    await using app = await startApp()
    await using locked = await lockTables(app, 'users, account_links')
    const refused: Answer[] = []
    const asked = Array.from({ length: 60 }, (_, n) => ask(app, n).then((answer) => refused.push(answer)))
    await until(() => refused.length >= 60 - 6 - 32, 'the others are not refused')
    assert.ok((await locked.waiting()) <= 1, 'they share a query')
    assert.equal(refused.length, 60 - 6 - 32)
    for (const answer of refused) assertRefused(answer, 'RATE_LIMITED', { says: /busy/ })
    await locked.release()
    await Promise.all(asked)
    assert.deepEqual(
      app.log.filter((line) => line.includes('unexpected error')),
      [],
    )
  })
}

/** A look-up on the server's own connections, and the number of tokens in each of its queries. */
function watchLookup({ pools }: TestApp) {
  const queries: number[] = []
  const query = (config: QueryConfig<Buffer[][]>) => {
    queries.push(config.values?.[0]?.length ?? 0)
    return pools.sessions.query(config)
  }
  return { find: openSessionLookup({ query } as unknown as Pool, silent), queries } // it uses nothing else of a pool
}

test('a session is found also when it cannot be noted that it is in use', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  const browser = await signIn(app, account)
  await app.pools.keys.query("update sessions set used_at = now() - interval '2 minutes'")
  await app.pools.keys.query('alter table users add constraint fails check (seen_at is null)')
  assert.equal((await browser.call('GET', '/api/session')).status, 200)
  assert.equal(app.log.filter((line) => line.includes('could not be noted')).length, 1)
})

const randomHash = () => hashToken(newToken()).toString('hex')

test('of a flood of random session cookies a bounded number waits, in queries of bounded size, and the others are refused as busy', async () => {
  await using app = await startApp()
  const { find, queries } = watchLookup(app)
  const outcomes = await Promise.allSettled(Array.from({ length: 10_000 }, () => find(randomHash())))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  for (const { reason } of refused) assert.deepEqual([reason.code, reason.retryAfterSeconds], ['RATE_LIMITED', 1])
  assert.equal(outcomes.length - refused.length, 1 + 2_000, 'one in flight, the others waiting')
  assert.ok(Math.max(...queries) <= 256, `${Math.max(...queries)} tokens in one query`)
  assert.ok(queries.length <= 1 + Math.ceil(2_000 / 256), `${queries.length} queries`)
})

test('a session that was seen before is looked up before a flood that came first, and refused as soon as it has ended', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  const browser = await signIn(app, account)
  const tokenHash = hashToken(browser.cookie.split('=')[1] ?? '').toString('hex')
  const { find } = watchLookup(app)
  assert.equal((await find(tokenHash))?.userId, account.userId)
  let answered = 0
  const flood = Array.from({ length: 2_000 }, () => find(randomHash()).then(() => (answered += 1)))
  assert.equal((await find(tokenHash))?.userId, account.userId)
  assert.ok(answered < flood.length, `${answered} were answered before`)
  await Promise.all(flood)

  const before = find(tokenHash) // its query is on its way when the session ends
  await app.db.deleteFrom('sessions').execute()
  assert.equal(await find(tokenHash), undefined)
  await before
})

test('requests of a session are noted once a minute, and none waits for somebody who has locked its row', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  const browser = await signIn(app, account)
  const used = async () => {
    const { rows } = await app.pools.keys.query<{ isNow: boolean; isSeen: boolean }>(
      `select s.used_at > now() - interval '1 minute' as "isNow", u.seen_at is not null as "isSeen"
       from sessions s join users u on u.id = s.user_id`,
    )
    return rows[0]
  }
  await app.pools.keys.query(`update sessions set used_at = now() - interval '2 minutes'`)
  const holder = new Client(app.database.address)
  await holder.connect()
  await holder.query('begin; select from sessions for update; select from users for update')
  assert.equal((await browser.call('GET', '/api/session')).status, 200)
  await holder.query('commit')
  await holder.end()
  assert.deepEqual(await used(), { isNow: false, isSeen: false })
  assert.equal((await browser.call('GET', '/api/session')).status, 200)
  assert.deepEqual(await used(), { isNow: true, isSeen: true })
})
