import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../src/accounts/password.ts'
import { openSignInThrottle } from '../../src/app-api/sign-in-throttle.ts'
import { startApp, type TestAccount, type TestApp } from '../helpers/harness.ts'
import { addMember, signIn, withCookie } from '../helpers/sessions.ts'

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
  await using app = await startApp()
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

test('a wrong password and an unknown e-mail address get the same answer', async () => {
  await using app = await startApp()
  const { email } = await withPassword(app)
  const [wrong, unknown] = [await post(app, email, 'wrong password'), await post(app, 'nobody@example.com', password)]
  assert.equal(wrong.status, 401)
  assert.deepEqual(wrong.body, unknown.body)
  assert.equal(wrong.headers['set-cookie'], undefined)
})

test('an unknown e-mail address costs as much work as a wrong password: both check a hash', async () => {
  await using app = await startApp()
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
  await using app = await startApp()
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
  await using app = await startApp()
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
  await using app = await startApp()
  const account = await app.makeAccount()
  const userId = await addMember(app, account.accountId, 'mia@example.com')
  const member = await signIn(app, { ...account, userId })
  assert.equal((await member.call('POST', '/api/account/key')).status, 403)
  const owner = await signIn(app, account)
  const { apiKey } = (await owner.call('POST', '/api/account/key')).body
  assert.equal((await app.call('GET', '/contacts?email=a@b.co', { key: apiKey })).status, 404)
  assert.equal((await app.call('GET', '/contacts?email=a@b.co', { key: account.apiKey })).status, 401)
})

test('guessing at many accounts from one address is slowed down, but not for who signed in from it before', () => {
  let now = 0
  const throttle = openSignInThrottle(() => now)
  const guess = (n: number) => ({ email: `user${n}@b.co`, address: '192.0.2.1', isKnownAddress: false })
  for (let n = 0; n < 40; n += 1) {
    try {
      throttle.check(guess(n))
      throttle.failed(guess(n))
    } catch {
      now += 1 // tries again at once
    }
  }
  assert.throws(() => throttle.check(guess(100)), /try again in \d+ s/)
  throttle.check({ ...guess(100), isKnownAddress: true })
  throttle.check({ ...guess(100), address: '192.0.2.2' })
  now += 120_000
  throttle.check(guess(100))
})

test('nobody locks an owner out by guessing from many addresses', () => {
  let now = 0
  const throttle = openSignInThrottle(() => now)
  for (let n = 0; n < 1_000; n += 1) throttle.failed({ email: 'a@b.co', address: `10.0.0.${n}`, isKnownAddress: false })
  const elsewhere = { email: 'a@b.co', address: '192.0.2.1', isKnownAddress: false }
  assert.throws(() => throttle.check(elsewhere), /try again in 2 s/)
  throttle.check({ ...elsewhere, isKnownAddress: true })
  now += 2_000
  throttle.check(elsewhere)
})

test('more sign-ins at a time than there is room for are refused as busy, and none is answered wrongly', async () => {
  await using app = await startApp()
  const { email } = await withPassword(app)
  const answers = await Promise.all(Array.from({ length: 200 }, () => post(app, email, password)))
  const statuses = new Set(answers.map(({ status }) => status))
  assert.deepEqual(
    [...statuses].filter((status) => status !== 200 && status !== 429),
    [],
  )
  assert.ok(answers.filter(({ status }) => status === 200).length >= 24)
})
