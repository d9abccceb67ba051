import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { endAllAccess } from '../../../src/business/accounts/access-store.ts'
import { changePassword } from '../../../src/business/accounts/credentials.ts'
import { hashPassword } from '../../../src/business/accounts/password.ts'
import type { UserId } from '../../../src/platform/ids.ts'
import { makeSubaccount } from '../../helpers/credits.ts'
import { type Answer, sharedApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { addMember, type SignedIn, signIn } from '../../helpers/sessions.ts'

let app: TestApp
before(async () => {
  app = await sharedApp()
})
after(() => app[Symbol.asyncDispose]())

const tokenOf = (url: string) => url.split('#')[1] ?? ''

async function ask(browser: SignedIn, path: string, body?: unknown): Promise<string> {
  const { status, body: answer } = await browser.call('POST', path, body)
  assert.equal(status, 200, answer.error?.message)
  return tokenOf(answer.url)
}

const invite = (browser: SignedIn, isOwner = true) => ask(browser, '/api/team/invitations', { isOwner })
const passwordLink = (browser: SignedIn, userId: UserId) => ask(browser, `/api/team/members/${userId}/password`)

const isOpen = async (token: string) => {
  const headers = { 'sec-fetch-site': 'same-origin' }
  const { status } = await app.call('POST', '/api/links', { body: { token }, headers })
  assert.ok(status === 200 || status === 404)
  return status === 200
}

/** An account with two owners who are signed in, links that the second made, and one for the second's own password. */
async function startLinks() {
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const mia = await addMember(app, shop.accountId, `mia-${shop.accountId}@example.com`)
  const set = app.db.updateTable('users').set({ isOwner: true, passwordHash: await hashOfOld })
  await set.where('accountId', '=', shop.accountId).where('id', '=', mia).execute()
  const second = await signIn(app, { ...shop, userId: mia })
  const made = { invitation: await invite(second), password: await passwordLink(second, shop.userId) }
  const others = { invitation: await invite(owner), ofMia: await passwordLink(owner, mia) }
  return { shop, owner, second, mia, made, others }
}

const oldPassword = 'the old password'
const hashOfOld = hashPassword(oldPassword)

type Links = Awaited<ReturnType<typeof startLinks>>

/** What ends the links of the second owner: those that they made, and that for their password. */
const ends: Record<string, (links: Links) => Promise<void>> = {
  'they are removed': async ({ owner, mia }) => assertDone(await owner.call('DELETE', `/api/team/members/${mia}`)),
  'they are made a member': async ({ owner, mia }) =>
    assertDone(await owner.call('PATCH', `/api/team/members/${mia}`, { isOwner: false })),
  'they change their password': async ({ second }) => {
    const body = { current: oldPassword, password: 'the newest password' }
    assertDone(await second.call('PUT', '/api/account/password', body))
  },
  'they sign out everywhere': async ({ second }) => assertDone(await second.call('DELETE', '/api/sessions')),
  'they set a password by a link': async ({ others }) => {
    const body = { token: others.ofMia, password: 'the newest password' }
    assertDone(await app.call('POST', '/api/links/password', { body, headers: { 'sec-fetch-site': 'same-origin' } }))
  },
}

function assertDone({ status, body }: Answer): void {
  assert.equal(status, 200, JSON.stringify(body))
}

for (const [name, end] of Object.entries(ends)) {
  test(`links that somebody made, and that for their password, end when ${name}; others stay`, async () => {
    const links = await startLinks()
    const { made, others } = links
    for (const token of Object.values({ ...made, ...others })) assert.ok(await isOpen(token))
    await end(links)
    const open = { made: await isOpen(made.invitation), password: await isOpen(made.password) }
    assert.deepEqual({ ...open, ofMia: await isOpen(others.ofMia) }, { made: false, password: false, ofMia: false })
    assert.ok(await isOpen(others.invitation))
  })
}

test('a link for the password of a member does not make an owner of whoever has it, when the member becomes one', async () => {
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const mia = await addMember(app, shop.accountId, 'becomes@example.com')
  const token = await passwordLink(owner, mia)
  assertDone(await owner.call('PATCH', `/api/team/members/${mia}`, { isOwner: true }))
  assert.equal(await isOpen(token), false)
})

test('`account password` ends the links of the holder', async () => {
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const tokens = [await invite(owner), await passwordLink(owner, shop.userId)]
  await changePassword(app.db, shop.accountId, undefined)
  assert.deepEqual([await isOpen(tokens[0] ?? ''), await isOpen(tokens[1] ?? '')], [false, false])
})

test("the links of an agency end in its sub-accounts with the agency's owner who made them", async () => {
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId)
  const mia = await addMember(app, agency.accountId, 'mia@agency.example')
  const owner = await signIn(app, agency)
  assertDone(await owner.call('PATCH', `/api/team/members/${mia}`, { isOwner: true }))
  const token = await ask(
    await signIn(app, { ...agency, userId: mia }),
    `/api/agency/subaccounts/${sub.accountId}/password`,
  )
  assert.ok(await isOpen(token))
  assertDone(await owner.call('DELETE', `/api/team/members/${mia}`))
  assert.equal(await isOpen(token), false)
})

test('no link is left of an owner who makes them while being removed', async () => {
  const { shop, owner, second, mia } = await startLinks()
  const making = Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => second.call('POST', '/api/team/invitations', { isOwner: true })),
  )
  assertDone(await owner.call('DELETE', `/api/team/members/${mia}`))
  for (const { status } of await making) assert.ok([200, 401].includes(status), String(status))
  const left = app.db.selectFrom('accountLinks').select('id').where('accountId', '=', shop.accountId)
  assert.deepEqual(await left.where('madeBy', '=', mia).execute(), [])
})

test('open password links are shown to owners, with who made them, and can be withdrawn', async () => {
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId, 'held@example.com')
  const holder = await signIn(app, sub)
  const mia = await addMember(app, sub.accountId, 'mia@held.example')
  const byAgency = await ask(await signIn(app, agency), `/api/agency/subaccounts/${sub.accountId}/password`)
  const byHolder = await passwordLink(holder, mia)
  const { passwordLinks, invitations } = (await holder.call('GET', '/api/team')).body
  assert.deepEqual(
    passwordLinks.map(({ name, madeBy, isByAgency }: Record<string, unknown>) => [name, madeBy, isByAgency]),
    [
      ['Mia Member', 'held', false],
      ['held', await emailOf(agency), true],
    ],
  )
  assert.deepEqual(invitations, [])
  for (const { id } of passwordLinks) assertDone(await holder.call('DELETE', `/api/team/links/${id}`))
  assert.deepEqual([await isOpen(byAgency), await isOpen(byHolder)], [false, false])
  assert.equal((await holder.call('DELETE', `/api/team/links/${passwordLinks[0].id}`)).status, 404)
  const { events } = (await holder.call('GET', '/api/audit?q=withdrawn')).body
  assert.deepEqual(
    events.map(({ act, details }: { act: string; details: { name: string } }) => [act, details.name]),
    [
      ['password link withdrawn', 'held'],
      ['password link withdrawn', 'Mia Member'],
    ],
  )
})

async function emailOf({ accountId, userId }: TestAccount): Promise<string | null> {
  const user = app.db.selectFrom('users').select('email').where('accountId', '=', accountId).where('id', '=', userId)
  return (await user.executeTakeFirstOrThrow()).email
}

const joinAs = (token: string, email: string) => {
  const body = { token, email, name: 'Tom Birch', password: 'a good long one' }
  return app.call('POST', '/api/links/invitation', { body, headers: { 'sec-fetch-site': 'same-origin' } })
}

test('the third e-mail address that has an account ends an invitation, also when they are tried at once', async () => {
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const email = await emailOf(shop)
  const token = await invite(owner)
  for (const status of [409, 409]) assert.equal((await joinAs(token, email ?? '')).status, status)
  assert.ok(await isOpen(token))
  assert.equal((await joinAs(token, email ?? '')).status, 409)
  assert.equal((await joinAs(token, 'free@example.com')).status, 404)
  const other = await invite(owner)
  const atOnce = await Promise.all([1, 2, 3, 4, 5, 6].map(() => joinAs(other, email ?? '')))
  assert.equal(atOnce.filter(({ status }) => status === 409).length, 3)
  const third = await invite(owner)
  assert.equal((await joinAs(third, `free-${shop.accountId}@example.com`)).status, 200)
})

test("an account's twentieth taken address in a day ends all its links, and there are new ones a day later", async () => {
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const [taken, kept] = [await invite(owner), await invite(owner)]
  const count = (takenCount: number, takenSince: Date) =>
    app.db.updateTable('accounts').set({ takenCount, takenSince }).where('id', '=', shop.accountId).execute()
  await count(18, new Date(Date.now() - 3_600_000))
  const email = await emailOf(shop)
  assert.equal((await joinAs(taken, email ?? '')).status, 409)
  assert.ok(await isOpen(kept))
  assert.equal((await joinAs(taken, email ?? '')).status, 409)
  assert.deepEqual([await isOpen(taken), await isOpen(kept)], [false, false])
  const refused = await owner.call('POST', '/api/team/invitations', { isOwner: false })
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'RATE_LIMITED'])
  await count(20, new Date(Date.now() - 86_500_000))
  const token = await invite(owner)
  assert.equal((await joinAs(token, email ?? '')).status, 409)
  assert.ok(await isOpen(token))
})

test('an agency learns of twenty addresses in a day whether they have an account, and not of the next', async () => {
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId)
  const owner = await signIn(app, agency)
  const email = await emailOf(agency)
  await app.db
    .updateTable('accounts')
    .set({ takenCount: 18, takenSince: new Date() })
    .where('id', '=', agency.accountId)
    .execute()
  const open = await invite(owner)
  const make = () => owner.call('POST', '/api/agency/subaccounts', { name: 'Sub', email })
  const change = () => owner.call('PATCH', `/api/agency/subaccounts/${sub.accountId}`, { email })
  assert.deepEqual([(await make()).status, (await change()).status], [400, 409])
  assert.equal(await isOpen(open), false)
  assert.deepEqual([(await make()).status, (await change()).status], [429, 429])
})

test('what a sub-account tries counts with what its agency and the other sub-accounts try', async () => {
  const agency = await app.makeAccount({ kind: 'agency' })
  const subs = [await makeSubaccount(app.db, agency.accountId), await makeSubaccount(app.db, agency.accountId)] as const
  const [owner, one, two] = [await signIn(app, agency), await signIn(app, subs[0]), await signIn(app, subs[1])]
  const [ofOne, ofTwo] = [await invite(one), await invite(two)]
  const count = app.db.updateTable('accounts').set({ takenCount: 18, takenSince: new Date() })
  await count.where('id', '=', agency.accountId).execute()
  const email = (await emailOf(agency)) ?? ''
  assert.deepEqual([(await joinAs(ofOne, email)).status, await isOpen(ofOne)], [409, true])
  assert.deepEqual([(await joinAs(ofTwo, email)).status, await isOpen(ofTwo)], [409, false])
  const tries = [
    await one.call('POST', '/api/team/invitations', { isOwner: false }),
    await owner.call('POST', '/api/agency/subaccounts', { name: 'Sub', email: 'new@example.org' }),
  ]
  for (const refused of tries) assertRefused(refused, 'RATE_LIMITED')
})

// Last: it ends what the other tests have.
test('a restored copy has neither sessions nor links of before', async () => {
  const { owner, others } = await startLinks()
  await endAllAccess(app.db)
  assert.equal(await isOpen(others.invitation), false)
  assert.equal((await owner.call('GET', '/api/session')).status, 401)
})
