import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { makeSubaccount } from '../../helpers/credits.ts'
import { sharedApp, startApp, type TestApp } from '../../helpers/harness.ts'
import { openLive } from '../../helpers/live-streams.ts'
import { addMember, type SignedIn, signIn } from '../../helpers/sessions.ts'

async function startTeam() {
  const app = await startApp()
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  return { app, shop, owner, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const tokenOf = (url: string) => url.split('#')[1] ?? ''

async function invite(owner: SignedIn, isOwner = false): Promise<string> {
  const { status, body } = await owner.call('POST', '/api/team/invitations', { isOwner })
  assert.equal(status, 200)
  return tokenOf(body.url)
}

const post = (app: TestApp, path: string, body: unknown) =>
  app.call('POST', path, { body, headers: { 'sec-fetch-site': 'same-origin' } })

const joining = (token: string, email = 'tom@example.com') => ({
  token,
  email,
  name: 'Tom Birch',
  password: 'a good long one',
})

test('links carry PUBLIC_URL; where it is not set they have no origin, whatever name the request came by', async () => {
  for (const [environment, origin] of [
    [{ PUBLIC_URL: 'https://chat.example.com' }, 'https://chat.example.com'],
    [{}, ''],
  ] as const) {
    await using app = await sharedApp(environment)
    const shop = await app.makeAccount()
    const owner = await signIn(app, shop)
    const mia = await addMember(app, shop.accountId, 'mia@example.com')
    const forged = { host: 'localhost:1', 'x-forwarded-host': 'evil.example' }
    const invited = await owner.call('POST', '/api/team/invitations', { isOwner: false }, forged)
    const password = await owner.call('POST', `/api/team/members/${mia}/password`, undefined, forged)
    for (const { body } of [invited, password]) assert.equal(body.url.replace(/#.*/, ''), `${origin}/join`)
    assert.equal((await owner.call('GET', '/api/session')).body.publicUrl, origin || null)
  }
})

test('whoever has the link joins once, is signed in, and signs in again with the password', async () => {
  await using started = await startTeam()
  const { app, owner } = started
  const token = await invite(owner)
  const opened = await post(app, '/api/links', { token })
  assert.deepEqual([opened.body.kind, opened.body.accountName], ['invitation', 'owner1@example.com'])
  const answers = await Promise.all([
    post(app, '/api/links/invitation', joining(token)),
    post(app, '/api/links/invitation', joining(token, 'other@example.com')),
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
  const joined = answers.find(({ status }) => status === 200)
  assert.match(String(joined?.headers['set-cookie']), /__Host-patchbay=/)
  assert.equal(joined?.body.user.isOwner, false)
  const { email } = joined?.body.user ?? {}
  assert.equal((await post(app, '/api/session', { email, password: 'a good long one' })).status, 200)
  const { body: team } = await owner.call('GET', '/api/team')
  assert.deepEqual([team.members.length, team.invitations.length], [2, 0])
})

test('whoever joins is signed in, also from an address where many passwords were wrong', async () => {
  await using started = await startTeam()
  const { app, owner } = started
  const token = await invite(owner)
  for (let n = 0; n < 21; n += 1)
    await post(app, '/api/session', { email: `nobody${n}@example.com`, password: 'wrong' })
  assert.equal((await post(app, '/api/session', { email: 'tom@example.com', password: 'wrong' })).status, 429)
  const joined = await post(app, '/api/links/invitation', joining(token))
  assert.equal(joined.status, 200)
  assert.match(String(joined.headers['set-cookie']), /__Host-patchbay=/)
})

test('a link has 256 random bits, of which only the SHA-256 is stored, and is shown once', async () => {
  await using started = await startTeam()
  const { app, shop, owner } = started
  const userId = await addMember(app, shop.accountId, 'tom@example.com')
  const { body: link } = await owner.call('POST', `/api/team/members/${userId}/password`)
  const tokens = [await invite(owner), tokenOf(link.url)]
  for (const token of tokens) assert.match(token, /^[\w-]{43}$/)
  const kept = await app.db.selectFrom('accountLinks').select('tokenHash').orderBy('id').execute()
  assert.deepEqual(
    new Set(kept.map(({ tokenHash }) => tokenHash.toString('hex'))),
    new Set(tokens.map((token) => createHash('sha256').update(token).digest('hex'))),
  )
  const { rows } = await app.pools.keys.query('select k::text as row from account_links k')
  const said = [JSON.stringify(rows), app.log.join(), JSON.stringify((await owner.call('GET', '/api/team')).body)]
  for (const token of tokens) for (const text of said) assert.ok(!text.includes(token))
})

test('an invitation ends after seven days, or when it is withdrawn', async () => {
  await using started = await startTeam()
  const { app, shop, owner } = started
  const old = await invite(owner)
  const query = app.db.updateTable('accountLinks').set({ endsAt: new Date(Date.now() - 1_000) })
  await query.where('accountId', '=', shop.accountId).execute()
  assert.equal((await post(app, '/api/links', { token: old })).status, 404)
  assert.equal((await post(app, '/api/links/invitation', joining(old))).status, 404)
  const token = await invite(owner)
  const { body: team } = await owner.call('GET', '/api/team')
  const [{ id, endsAt }] = team.invitations
  assert.ok(Math.abs(Date.parse(endsAt) - Date.now() - 7 * 86_400_000) < 60_000)
  assert.equal((await owner.call('DELETE', `/api/team/links/${id}`)).status, 200)
  assert.equal((await post(app, '/api/links/invitation', joining(token))).status, 404)
})

test('an e-mail address that signs in elsewhere is refused, and the invitation stays', async () => {
  await using started = await startTeam()
  const { app, owner } = started
  const other = await app.makeAccount()
  const token = await invite(owner)
  const refused = await post(app, '/api/links/invitation', joining(token, 'OWNER2@example.com'))
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT'], other.accountId)
  assert.equal((await post(app, '/api/links/invitation', joining(token))).status, 200)
})

test('a link for a password is not an invitation, nor the other way round; it ends the sessions and earlier links', async () => {
  await using started = await startTeam()
  const { app, shop, owner } = started
  const mia = await addMember(app, shop.accountId, 'mia@example.com')
  const browser = await signIn(app, { ...shop, userId: mia })
  const make = async () => tokenOf((await owner.call('POST', `/api/team/members/${mia}/password`)).body.url)
  const [first, second] = [await make(), await make()]
  const password = 'the new password'
  assert.equal((await post(app, '/api/links/password', { token: first, password })).status, 404)
  assert.equal((await post(app, '/api/links/invitation', joining(second))).status, 404)
  assert.equal((await post(app, '/api/links/password', { token: await invite(owner), password })).status, 404)
  assert.equal((await browser.call('GET', '/api/session')).status, 200)
  const set = await post(app, '/api/links/password', { token: second, password })
  assert.deepEqual([set.status, set.body.user.email], [200, 'mia@example.com'])
  assert.equal((await browser.call('GET', '/api/session')).status, 401)
  assert.equal((await post(app, '/api/session', { email: 'mia@example.com', password })).status, 200)
})

test('who is removed is told at the next request, their stream ends, what they wrote keeps their name, and the address is free', async () => {
  await using started = await startTeam()
  const { app, shop, owner } = started
  const mia = await addMember(app, shop.accountId, 'mia@example.com')
  const browser = await signIn(app, { ...shop, userId: mia })
  using stream = await openLive(app, browser.cookie)
  assert.equal((await owner.call('DELETE', `/api/team/members/${mia}`)).status, 200)
  await stream.untilEnded()
  const refused = await browser.call('GET', '/api/session')
  assert.deepEqual([refused.status, refused.body.error.message], [401, 'You were removed from this account.'])
  assert.equal((await post(app, '/api/session', { email: 'mia@example.com', password: 'none' })).status, 401)
  const row = await app.db
    .selectFrom('users')
    .select(['name', 'email'])
    .where('accountId', '=', shop.accountId)
    .where('id', '=', mia)
    .executeTakeFirst()
  assert.deepEqual(row, { name: 'Mia Member', email: null })
  assert.equal((await owner.call('DELETE', `/api/team/members/${mia}`)).status, 404)
  const back = await post(app, '/api/links/invitation', joining(await invite(owner), 'mia@example.com'))
  assert.equal(back.status, 200)
})

test('the last owner cannot go, also when two owners remove each other at once, and the account is always held', async () => {
  await using started = await startTeam()
  const { app, shop, owner } = started
  const alone = await owner.call('DELETE', `/api/team/members/${shop.userId}`)
  assert.deepEqual([alone.status, alone.body.error.code], [409, 'CONFLICT'])
  const demoted = await owner.call('PATCH', `/api/team/members/${shop.userId}`, { isOwner: false })
  assert.equal(demoted.status, 409)
  const mia = await addMember(app, shop.accountId, 'mia@example.com')
  assert.equal((await owner.call('PATCH', `/api/team/members/${mia}`, { isOwner: true })).status, 200)
  const second = await signIn(app, { ...shop, userId: mia })
  const answers = await Promise.all([
    owner.call('DELETE', `/api/team/members/${mia}`),
    second.call('DELETE', `/api/team/members/${shop.userId}`),
  ])
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  const holders = await app.db
    .selectFrom('users')
    .select(['email', 'isOwner'])
    .where('accountId', '=', shop.accountId)
    .where('isHolder', '=', true)
    .execute()
  assert.deepEqual(
    holders.map(({ isOwner }) => isOwner),
    [true],
  )
})

test('the holder of a sub-account is changed by its agency only', async () => {
  await using app = await sharedApp()
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId, 'sub@example.com')
  const holder = await signIn(app, sub)
  const mia = await addMember(app, sub.accountId, 'mia@example.com')
  await holder.call('PATCH', `/api/team/members/${mia}`, { isOwner: true })
  const second = await signIn(app, { ...sub, userId: mia })
  const refused = await second.call('DELETE', `/api/team/members/${sub.userId}`)
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT'])
  assert.match(refused.body.error.message, /agency/)
})
