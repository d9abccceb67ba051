import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { hashPassword } from '../../../src/business/accounts/password.ts'
import { openSigningInLookup } from '../../../src/business/sessions/session-lookup.ts'
import { sharedApp, startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { addMember, signIn, withCookie } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

const password = 'correct horse battery'

async function withPassword(app: TestApp): Promise<TestAccount> {
  const account = await app.makeAccount()
  const passwordHash = await hashPassword(password)
  await app.db
    .updateTable('users')
    .set({ passwordHash })
    .where('accountId', '=', account.accountId)
    .where('id', '=', account.userId)
    .execute()
  return account
}

const post = (app: TestApp, email: string, given: string) =>
  app.call('POST', '/api/session', { body: { email, password: given }, headers: { 'sec-fetch-site': 'same-origin' } })

test('signing in sets a host-only, secure, HTTP-only cookie, and stores only a hash of its token', async () => {
  await using app = await startApp()
  const account = await withPassword(app)
  const answer = await post(app, ` ${account.email.toUpperCase()} `, password)
  assert.equal(answer.status, 200)
  assert.equal(answer.body.user.email, account.email)
  const cookie = String(answer.headers['set-cookie'])
  const [, token = ''] = /^__Host-patchbay=([\w-]{43});/.exec(cookie) ?? []
  for (const part of ['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax']) assert.match(cookie, new RegExp(part))
  assert.doesNotMatch(cookie, /Domain/)
  const { rows } = await app.pools.keys.query('select s::text as row from sessions s')
  assert.equal(rows.length, 1)
  assert.ok(!JSON.stringify(rows).includes(token))
  assert.ok(!app.log.join().includes(token))
  const me = await withCookie(app, account.userId, `__Host-patchbay=${token}`).call('GET', '/api/session')
  assert.deepEqual(me.body, answer.body)
})

test('signing in ends the session that the browser had, and no other; a wrong password ends none', async () => {
  await using app = await sharedApp()
  const [ana, ben] = [await withPassword(app), await app.makeAccount()]
  const [browser, elsewhere] = [await signIn(app, ben), await signIn(app, ben)]
  const again = (given: string) => browser.call('POST', '/api/session', { email: ana.email, password: given })
  assert.equal((await again('wrong password')).status, 401)
  assert.equal((await browser.call('GET', '/api/session')).status, 200)
  const answer = await again(password)
  assert.equal(answer.status, 200)
  assert.ok(!String(answer.headers['set-cookie']).includes(browser.cookie), 'the token is a new one')
  assert.equal((await browser.call('GET', '/api/session')).status, 401)
  assert.equal((await elsewhere.call('GET', '/api/session')).status, 200)
})

test('a password is stored as argon2id with 19 MiB and two passes, each with a salt of its own', async () => {
  const [one, two] = await Promise.all([hashPassword(password), hashPassword(password)])
  for (const hash of [one, two]) assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.notEqual(one, two)
})

test('a wrong password and an unknown e-mail address get the same answer', async () => {
  await using app = await sharedApp()
  const { email } = await withPassword(app)
  const [wrong, unknown] = [await post(app, email, 'wrong password'), await post(app, 'nobody@example.com', password)]
  assert.equal(wrong.status, 401)
  assert.deepEqual(wrong.body, unknown.body)
  assert.equal(wrong.headers['set-cookie'], undefined)
})

test('an unknown e-mail address costs as much work as a wrong password: both check a hash', async () => {
  await using app = await sharedApp()
  const [{ email }, noPassword] = [await withPassword(app), await app.makeAccount()]
  const workOf = async (address: (n: number) => string) => {
    const before = process.cpuUsage()
    for (let n = 0; n < 4; n += 1) assert.equal((await post(app, address(n), 'wrong password')).status, 401)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  await post(app, 'first@example.com', password) // makes the hash that is checked where there is no user
  const [wrong, unknown] = [await workOf(() => email), await workOf((n) => `nobody${n}@example.com`)]
  assert.ok(unknown > wrong / 2, `${unknown} µs of CPU for unknown ones, ${wrong} µs for wrong passwords`)
  const withoutPassword = await workOf(() => noPassword.email)
  assert.ok(withoutPassword > wrong / 2, `${withoutPassword} µs of CPU without a password, ${wrong} µs for wrong ones`)
})

test('guessing the password of one account is slowed down, and other accounts are not', async () => {
  await using app = await sharedApp()
  const { email } = await withPassword(app)
  for (let n = 0; n < 5; n += 1) assert.equal((await post(app, email, `guess ${n}`)).status, 401)
  const slowed = await post(app, email, password)
  assert.equal(slowed.status, 429)
  assert.match(String(slowed.headers['retry-after']), /^\d+$/)
  assert.equal((await post(app, 'other@example.com', password)).status, 401)
})

test('after signing out, signing out everywhere or a new password, a cookie is refused', async () => {
  await using app = await startApp()
  const account = await withPassword(app)
  const [one, two, three, four] = await Promise.all([1, 2, 3, 4].map(() => signIn(app, account)))
  assert.ok(one && two && three && four)
  assert.equal((await one.call('DELETE', '/api/session')).status, 200)
  assert.equal((await one.call('GET', '/api/session')).status, 401)
  assert.equal((await two.call('GET', '/api/session')).status, 200)
  const change = { current: password, password: 'another password' }
  assert.equal((await two.call('PUT', '/api/account/password', { ...change, current: 'wrong' })).status, 403)
  assert.equal((await two.call('PUT', '/api/account/password', change)).status, 200)
  assert.equal((await two.call('GET', '/api/session')).status, 200)
  assert.equal((await three.call('GET', '/api/session')).status, 401)
  const five = await signIn(app, account)
  assert.equal((await five.call('DELETE', '/api/sessions')).status, 200)
  assert.equal((await two.call('GET', '/api/session')).status, 401)
})

/** A transaction of somebody else that holds a row; `untilWaiting`: a request waits for it. */
async function hold({ database, pools }: TestApp, statement: string) {
  const client = new Client(database.address)
  await client.connect()
  await client.query(`begin; ${statement}`)
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return {
    client,
    untilWaiting: () => until(async () => (await pools.keys.query(waiting)).rows.length > 0, 'nobody waits'),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

test('who signs in with a password that is changed at that moment gets no session', async () => {
  await using app = await startApp()
  const { userId, email } = await withPassword(app)
  await using held = await hold(app, `select from users where id = '${userId}' for no key update`)
  const asked = post(app, email, password)
  await held.untilWaiting()
  await held.client.query(
    `update users set password_hash = 'another' where id = '${userId}'; delete from sessions; commit`,
  )
  const answer = await asked
  assert.deepEqual([answer.status, answer.headers['set-cookie']], [401, undefined])
  assert.equal((await app.pools.keys.query('select from sessions')).rows.length, 0)
})

test('who is signed out while they change their password does not change it', async () => {
  await using app = await sharedApp()
  const account = await withPassword(app)
  const browser = await signIn(app, account)
  const change = { current: password, password: 'another password' }
  await using held = await hold(app, `select from accounts where id = '${account.accountId}' for no key update`)
  const asked = browser.call('PUT', '/api/account/password', change)
  await held.untilWaiting()
  await held.client.query('delete from sessions; commit')
  assert.equal((await asked).status, 401)
  assert.equal((await post(app, account.email, password)).status, 200)
})

test('an address where somebody signed in is known after they have signed out, for a month', async () => {
  await using app = await startApp()
  const account = await withPassword(app)
  const find = openSigningInLookup(app.pools.sessions)
  const isKnown = async (address: string) => (await find({ email: account.email, address }))?.isKnownAddress
  assert.equal(await isKnown('127.0.0.1'), false)
  const { headers } = await post(app, account.email, password)
  const browser = withCookie(app, account.userId, String(headers['set-cookie']).split(';')[0] ?? '')
  const { rows } = await app.pools.keys.query('select address from sessions')
  const [{ address }] = rows
  assert.equal((await browser.call('DELETE', '/api/sessions')).status, 200)
  assert.equal((await browser.call('GET', '/api/session')).status, 401)
  assert.deepEqual([await isKnown(address), await isKnown('203.0.113.9')], [true, false])
  await app.pools.keys.query("update audit_events set at = at - interval '31 days'")
  assert.equal(await isKnown(address), false)
})

test('a session ends after two weeks without use and after a month in any case', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  for (const [column, days, status] of [
    ['used_at', 13, 200],
    ['used_at', 15, 401],
    ['created_at', 29, 200],
    ['created_at', 31, 401],
  ] as const) {
    const browser = await signIn(app, account)
    await app.pools.keys.query(`update sessions set ${column} = now() - interval '${days} days'`)
    assert.equal((await browser.call('GET', '/api/session')).status, status, `${column} ${days}`)
    await app.pools.keys.query('delete from sessions')
  }
})

test('a change that another site asks for is refused and changes nothing', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const browser = await signIn(app, account)
  const rename = { name: 'Changed' }
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ]) {
    assert.equal((await browser.call('PATCH', '/api/account', rename, headers)).status, 403)
  }
  const old = { cookie: browser.cookie, origin: 'https://evil.example' }
  assert.equal((await app.call('PATCH', '/api/account', { body: rename, headers: old })).status, 403)
  const form = { cookie: browser.cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' }
  assert.equal((await app.call('PATCH', '/api/account', { raw: JSON.stringify(rename), headers: form })).status, 400)
  assert.equal((await browser.call('GET', '/api/account')).body.name, account.email)
  assert.equal((await browser.call('PATCH', '/api/account', rename)).body.name, 'Changed')
})

test('only the owner generates the key, and the old one ends at once', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const userId = await addMember(app, account.accountId, 'mia@example.com')
  const member = await signIn(app, { ...account, userId })
  assert.equal((await member.call('POST', '/api/account/key')).status, 403)
  const owner = await signIn(app, account)
  const { apiKey } = (await owner.call('POST', '/api/account/key')).body
  assert.equal((await app.call('GET', '/contacts?email=a@b.co', { key: apiKey })).status, 404)
  assert.equal((await app.call('GET', '/contacts?email=a@b.co', { key: account.apiKey })).status, 401)
})
