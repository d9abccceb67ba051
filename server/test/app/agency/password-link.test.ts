import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { limitRate } from '../../../src/business/accounts/credentials.ts'
import type { AccountId, UserId } from '../../../src/platform/ids.ts'
import { makeSubaccount } from '../../helpers/credits.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { addMember, type SignedIn, signIn, withCookie } from '../../helpers/sessions.ts'

let app: TestApp
before(async () => {
  app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '600' })
})
after(() => app[Symbol.asyncDispose]())

const subaccounts = '/api/agency/subaccounts'

async function startAgency() {
  const agency = await app.makeAccount({ kind: 'agency' })
  await app.db.updateTable('accounts').set({ name: 'Studio' }).where('id', '=', agency.accountId).execute()
  const ines = app.db.updateTable('users').set({ name: 'Ines' })
  await ines.where('accountId', '=', agency.accountId).where('id', '=', agency.userId).execute()
  const sub = await makeSubaccount(app.db, agency.accountId)
  return { agency, sub, owner: await signIn(app, agency), holder: await signIn(app, sub) }
}

async function setByLink(url: string): Promise<SignedIn> {
  const body = { token: url.split('#')[1], password: 'a password of theirs' }
  const headers = { 'sec-fetch-site': 'same-origin' }
  const answer = await app.call('POST', '/api/links/password', { body, headers })
  assert.equal(answer.status, 200)
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';')
  return withCookie(app, answer.body.user.id as UserId, cookie)
}

const auditOf = async (accountId: AccountId) =>
  (
    await app.db
      .selectFrom('auditEvents')
      .select(['act', 'actorName', 'details'])
      .where('accountId', '=', accountId)
      .orderBy('id')
      .execute()
  ).map(({ act, actorName, details }) => [act, actorName, (details as { madeBy?: string }).madeBy])

test('a password link of an agency ends the sessions of the holder, and both audits name its maker at each step', async () => {
  const { agency, sub, owner, holder } = await startAgency()
  const { body } = await owner.call('POST', `${subaccounts}/${sub.accountId}/password`)
  assert.equal((await holder.call('GET', '/api/session')).status, 200)
  await setByLink(body.url)
  assert.equal((await holder.call('GET', '/api/session')).status, 401)
  const name = sub.email.split('@')[0]
  assert.deepEqual(await auditOf(sub.accountId), [
    ['password link made', 'Studio', undefined],
    ['password changed', name, 'Studio'],
    ['signed in', name, 'Studio'],
  ])
  assert.deepEqual(await auditOf(agency.accountId), [
    ['password link made', 'Ines', undefined],
    ['password changed', null, 'Ines'],
    ['signed in', null, 'Ines'],
  ])
})

test('the audit of a team names who made the link by which a password was changed', async () => {
  const { agency, owner } = await startAgency()
  const mia = await addMember(app, agency.accountId, 'mia@studio.example')
  await setByLink((await owner.call('POST', `/api/team/members/${mia}/password`)).body.url)
  assert.deepEqual(await auditOf(agency.accountId), [
    ['password link made', 'Ines', undefined],
    ['password changed', 'Mia Member', 'Ines'],
    ['signed in', 'Mia Member', 'Ines'],
  ])
})

test('every owner of the sub-account is told of the link in each session until it says that it was read; nobody else', async () => {
  const { sub, owner, holder } = await startAgency()
  const second = await addMember(app, sub.accountId, `second-${sub.accountId}@example.com`)
  const member = await signIn(app, {
    ...sub,
    userId: await addMember(app, sub.accountId, `m-${sub.accountId}@example.com`),
  })
  await holder.call('PATCH', `/api/team/members/${second}`, { isOwner: true })
  const told = async (browser: SignedIn) => (await browser.call('GET', '/api/session')).body.agencyLink
  assert.equal(await told(holder), null)
  const { body } = await owner.call('POST', `${subaccounts}/${sub.accountId}/password`)
  const made = await told(holder)
  assert.deepEqual([made.agencyName, made.usedAt], ['Studio', null])
  const other = await signIn(app, { ...sub, userId: second })
  assert.equal((await other.call('PUT', '/api/session/told')).body.agencyLink, null)
  assert.equal(await told(other), null)

  const byLink = await setByLink(body.url)
  assert.notEqual((await told(other)).usedAt, null, 'that it was used is told again')
  // Whoever used the link has a session of the holder; what they have read, the holder has not.
  await byLink.call('PUT', '/api/session/told')
  assert.equal(await told(byLink), null)
  assert.notEqual((await told(await signIn(app, sub))).usedAt, null)
  assert.equal(await told(member), null)
  await owner.call('POST', '/api/session/visit', { accountId: sub.accountId })
  assert.equal(await told(owner), null)
  assert.equal((await owner.call('PUT', '/api/session/told')).status, 403)
  await app.db
    .updateTable('accounts')
    .set({ agencyLinkAt: new Date(Date.now() - 31 * 86_400_000), agencyLinkUsedAt: null })
    .where('id', '=', sub.accountId)
    .execute()
  assert.equal(await told(await signIn(app, sub)), null, 'after 30 days')
})

test('a password that was changed is told although a newer link was made, and a link is called open while it is', async () => {
  const { sub, owner, holder } = await startAgency()
  const told = async (browser: SignedIn) => (await browser.call('GET', '/api/session')).body.agencyLink
  const make = async (): Promise<string> =>
    (await owner.call('POST', `${subaccounts}/${sub.accountId}/password`)).body.url
  const url = await make()
  assert.deepEqual([(await told(holder)).usedAt, (await told(holder)).isOpen], [null, true])
  await setByLink(url)
  const back = await signIn(app, sub)
  const { usedAt, isOpen } = await told(back)
  assert.deepEqual([usedAt === null, isOpen], [false, false])

  await make()
  const both = await told(back)
  assert.deepEqual([both.usedAt, both.isOpen, both.madeAt > usedAt], [usedAt, true, true])
  const [{ id }] = (await back.call('GET', '/api/team')).body.passwordLinks
  await back.call('DELETE', `/api/team/links/${id}`)
  assert.deepEqual([(await told(back)).usedAt, (await told(back)).isOpen], [usedAt, false], 'it was withdrawn')

  await back.call('PUT', '/api/session/told')
  await back.call('POST', '/api/team/invitations', { isOwner: false })
  assert.equal(await told(back), null)
  await make()
  assert.deepEqual([(await told(back)).usedAt, (await told(back)).isOpen], [null, true], 'told of the use before')
})

test('an agency gives a sub-account at most the rate limit that it has itself, and none only where it has none', async () => {
  const { agency, sub, owner } = await startAgency()
  const set = async (rateLimitPerMinute: number | null) => {
    const { status, body } = await owner.call('PATCH', `${subaccounts}/${sub.accountId}`, { rateLimitPerMinute })
    if (status !== 200) assert.match(body.error.message, /^rateLimitPerMinute may be from 1 to \d+/)
    return status
  }
  assert.deepEqual([await set(600), await set(601), await set(0), await set(null)], [200, 400, 400, 200])
  await limitRate(app.db, agency.accountId, 100)
  assert.deepEqual([await set(100), await set(101), await set(0), await set(null)], [200, 400, 400, 400])
  assert.equal((await owner.call('GET', `${subaccounts}/${sub.accountId}`)).body.mostRateLimit, 100)
  await limitRate(app.db, sub.accountId, 0)
  const renamed = await owner.call('PATCH', `${subaccounts}/${sub.accountId}`, { name: 'Bakery' })
  assert.deepEqual([renamed.status, renamed.body.rateLimitPerMinute], [200, 0], 'what the operator has set stays')
  const made = await owner.call('POST', subaccounts, { name: 'New', email: `new-${agency.accountId}@example.com` })
  assert.equal((await owner.call('GET', `${subaccounts}/${made.body.id}`)).body.rateLimitPerMinute, 100)
  await limitRate(app.db, agency.accountId, 0)
  assert.deepEqual([await set(0), await set(1_000_000), await set(null)], [200, 200, 200])
})
