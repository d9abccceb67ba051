import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword } from '../../../src/business/accounts/password.ts'
import { countSignIns } from '../../../src/business/sessions/throttle/sign-in-throttle.ts'
import { type Answer, startApp, type TestApp } from '../../helpers/harness.ts'

const password = 'correct horse battery'

/** An account whose owner has a password, on a server behind a proxy that says which address asks. */
async function startGuessed() {
  const app = await startApp({ TRUST_PROXY: '127.0.0.0/8' })
  const owner = await app.makeAccount()
  const passwordHash = await hashPassword(password)
  await app.db.updateTable('users').set({ passwordHash }).where('id', '=', owner.userId).execute()
  return { app, owner }
}

type From = { address: string; email: string }

const post = (app: TestApp, { address, email }: From, given: string): Promise<Answer> =>
  app.call('POST', '/api/session', {
    body: { email, password: given },
    headers: { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': address },
  })

const statusesOf = (answers: Answer[]) =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status }) => status)
      .entries()
      .map(([status, of]) => [status, of.length]),
  )

test('of thirty guesses at the same time five are checked, as of thirty in a row; also from a known address, and by a session', async () => {
  const { app, owner } = await startGuessed()
  await using _ = app
  const from = { address: '198.51.100.7', email: owner.email }
  app.stopSignInClock()
  const guesses = Array.from({ length: 30 }, (_guess, n) => post(app, from, `guess ${n}`))
  assert.deepEqual(statusesOf(await Promise.all(guesses)), { 401: 5, 429: 25 })

  const known = { address: '203.0.113.7', email: owner.email }
  const signedIn = await post(app, known, password)
  assert.equal(signedIn.status, 200)
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
  const headers = { cookie, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': known.address }
  const change = (n: number) =>
    app.call('PUT', '/api/account/password', { body: { current: `guess ${n}`, password: 'another one' }, headers })
  const changes = Array.from({ length: 10 }, (_guess, n) => change(n))
  assert.deepEqual(statusesOf(await Promise.all(changes)), { 403: 5, 429: 5 })
  assert.equal((await post(app, known, password)).status, 429)
})

test('sign-ins at the same time with the right password are let in or have to wait, and then count for nothing', async () => {
  const { app, owner } = await startGuessed()
  await using _ = app
  const from = { address: '198.51.100.7', email: owner.email }
  const statuses = statusesOf(await Promise.all(Array.from({ length: 60 }, () => post(app, from, password))))
  assert.deepEqual(Object.keys(statuses), ['200', '429'])
  assert.ok(Number(statuses[200]) >= 5)
  for (let n = 0; n < 5; n += 1) assert.equal((await post(app, from, 'wrong')).status, 401)
})

test('while forty addresses guess at unknown e-mail addresses, nobody is refused at an address they signed in from or at a new one', async () => {
  const { app, owner } = await startGuessed()
  await using _ = app
  const { email } = owner
  assert.equal((await post(app, { address: '203.0.113.7', email }, password)).status, 200)
  let isOver = false
  let checked = 0
  async function guess(loop: number): Promise<void> {
    for (let n = 0; !isOver; n += 1) {
      const from = { address: `10.${loop}.${n % 250}.1`, email: `nobody${loop}.${n}@example.com` }
      if ((await post(app, from, 'guess')).status === 401) checked += 1
    }
  }
  const loops = Array.from({ length: 40 }, (_loop, n) => guess(n))
  const statuses: number[] = []
  for (let n = 0; n < 10; n += 1) {
    statuses.push((await post(app, { address: '203.0.113.7', email }, password)).status)
    if (n < 3) statuses.push((await post(app, { address: `192.0.${n}.9`, email }, password)).status)
  }
  isOver = true
  await Promise.all(loops)
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.ok(checked > 0, 'nobody guessed')
})

test('guessing at many accounts from one address is slowed down, but not for who signed in from it before', () => {
  let now = 0
  const throttle = countSignIns(() => now)
  const guess = (n: number) => ({ email: `user${n}@b.co`, address: '192.0.2.1', isKnownAddress: false })
  let taken = 0
  for (let n = 0; n < 40; n += 1) {
    if (throttle.tryTake(guess(n)).waitSeconds === 0) taken += 1
    now += 1 // tries again at once
  }
  assert.equal(taken, 20)
  assert.ok(throttle.tryTake(guess(100)).waitSeconds > 0)
  assert.equal(throttle.tryTake({ ...guess(100), isKnownAddress: true }).waitSeconds, 0)
  assert.equal(throttle.tryTake({ ...guess(101), address: '192.0.2.2' }).waitSeconds, 0)
  now += 120_000
  assert.equal(throttle.tryTake(guess(102)).waitSeconds, 0)
})

/** Ways to have another address for each guess. */
const attackers: Record<string, (n: number) => string> = {
  'six addresses': (n) => `198.51.100.${n % 6}`,
  'six networks with a new address each time': (n) => `198.51.${n % 6}.${Math.trunc(n / 6) % 256}`,
  'an IPv6 customer with a new network each time': (n) => `2001:db8:1:${n.toString(16)}::/64`,
  'twenty-five networks with a new address each time': (n) => `10.${n % 25}.0.${Math.trunc(n / 25) % 256}`,
}

for (const [who, addressOf] of Object.entries(attackers)) {
  test(`while ${who} guess at one account as often as they can, guesses stay slow, and the owner gets in from a new address within a minute`, () => {
    let now = 0
    const throttle = countSignIns(() => now)
    let asked = 0
    let guessed = 0
    const guess = () => {
      const attempt = { email: 'a@b.co', address: addressOf(asked), isKnownAddress: false }
      asked += 1
      if (throttle.tryTake(attempt).waitSeconds === 0) guessed += 1
    }
    /** Six of them ask at every tenth of a second. */
    const pass = (ms: number) => {
      for (const endsAt = now + ms; now < endsAt; now += 100) for (let n = 0; n < 6; n += 1) guess()
    }
    pass(5 * 60_000)
    const owner = { email: 'a@b.co', address: '203.0.113.7', isKnownAddress: false }
    const beganAt = now
    for (let { waitSeconds } = throttle.tryTake(owner); waitSeconds > 0; { waitSeconds } = throttle.tryTake(owner)) {
      assert.ok(now + waitSeconds * 1_000 - beganAt <= 60_000, `${waitSeconds} s after ${now - beganAt} ms`)
      pass(waitSeconds * 1_000)
    }
    throttle.succeeded(owner)
    assert.equal(
      throttle.tryTake({ ...owner, isKnownAddress: true }).waitSeconds,
      0,
      'a known address waits for nobody',
    )
    pass(5 * 60_000)
    assert.ok(guessed <= 50 + now / 2_000 + 30, `${guessed} guesses in ${now / 1_000} s`)
  })
}

test('whoever has a place in the line keeps it for half a minute after it opened, and then no longer', () => {
  let now = 0
  const throttle = countSignIns(() => now)
  const attempt = (n: number) => ({ email: 'a@b.co', address: `10.0.${n}.1`, isKnownAddress: false })
  for (let n = 0; n < 51; n += 1) assert.equal(throttle.tryTake(attempt(n)).waitSeconds, 0)
  assert.deepEqual(
    [60, 61, 60, 61].map((n) => throttle.tryTake(attempt(n)).waitSeconds),
    [2, 4, 2, 4],
  )
  now += 20_000
  assert.equal(throttle.tryTake(attempt(60)).waitSeconds, 0)
  assert.equal(throttle.tryTake(attempt(62)).waitSeconds, 0, 'no place was taken meanwhile')
  now += 20_000
  assert.equal(throttle.tryTake(attempt(63)).waitSeconds, 0)
  assert.equal(throttle.tryTake(attempt(61)).waitSeconds, 2, 'the place has lapsed')
})
