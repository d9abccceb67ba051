import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '../../../src/platform/ids.ts'
import { makeSubaccount } from '../../helpers/credits.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { openLive } from '../../helpers/live-streams.ts'
import { addMember, signIn } from '../../helpers/sessions.ts'

async function startAgency() {
  const app = await sharedApp()
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId, 'sub@example.com')
  const browser = await signIn(app, agency)
  const visit = (accountId = sub.accountId) => browser.call('POST', '/api/session/visit', { accountId })
  return { app, agency, sub, browser, visit, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const auditOf = async (app: TestApp, accountId: AccountId) =>
  (
    await app.db
      .selectFrom('auditEvents')
      .select(['act', 'actorKind', 'actorName'])
      .where('accountId', '=', accountId)
      .orderBy('id')
      .execute()
  ).map(({ act, actorKind, actorName }) => [act, actorKind, actorName])

test("an agency opens its sub-account's app and leaves it, and both find it in their audit", async () => {
  await using started = await startAgency()
  const { app, agency, sub, browser, visit } = started
  await app.db.updateTable('accounts').set({ name: 'Studio' }).where('id', '=', agency.accountId).execute()
  const visiting = await visit()
  assert.equal(visiting.body.account.id, sub.accountId)
  assert.deepEqual(visiting.body.visiting, { agencyName: 'Studio' })
  assert.notEqual(visiting.body.user.id, agency.userId)
  assert.equal((await browser.call('GET', '/api/conversations?filter=unread')).status, 200)
  await browser.call('POST', '/api/contacts', { firstName: 'Theirs', email: 'theirs@example.com' })
  const left = await browser.call('DELETE', '/api/session/visit')
  assert.deepEqual([left.body.account.id, left.body.visiting], [agency.accountId, null])
  assert.deepEqual((await browser.call('GET', '/api/contacts')).body.contacts, [])
  assert.deepEqual(await auditOf(app, agency.accountId), [
    ['visit began', 'user', 'owner1'],
    ['visit ended', 'user', 'owner1'],
  ])
  assert.deepEqual(await auditOf(app, sub.accountId), [
    ['visit began', 'agency', 'Studio'],
    ['visit ended', 'agency', 'Studio'],
  ])
  assert.equal((await visit()).body.user.id, visiting.body.user.id, 'one guest for each of its users')
})

test('nobody visits what is not a sub-account of their own agency', async () => {
  await using started = await startAgency()
  const { app, agency, sub, visit } = started
  const rival = await app.makeAccount({ kind: 'agency' })
  const others = await signIn(app, rival)
  const refused = await others.call('POST', '/api/session/visit', { accountId: sub.accountId })
  assert.deepEqual([refused.status, refused.body.error.code], [404, 'NOT_FOUND'])
  assert.equal((await visit(rival.accountId)).status, 404)
  assert.equal((await visit(agency.accountId)).status, 404)
  assert.deepEqual(await auditOf(app, sub.accountId), [])
})

test('a page of before the visit can do nothing, and its stream ends', async () => {
  await using started = await startAgency()
  const { app, agency, browser, visit } = started
  using stream = await openLive(app, browser.cookie)
  await visit()
  await stream.untilEnded()
  const late = await browser.call('GET', '/api/contacts', undefined, { 'x-app-user': agency.userId })
  assert.equal(late.status, 401)
})

test('a visit ends with its time, and with what allowed it', async () => {
  await using started = await startAgency()
  const { app, agency, sub, browser, visit } = started
  const shown = async () => (await browser.call('GET', '/api/session')).body.account.id
  const { userId: guestId } = { userId: (await visit()).body.user.id }
  assert.equal(await shown(), sub.accountId)
  await app.db
    .updateTable('sessions')
    .set({ visitEndsAt: new Date(Date.now() - 1_000) })
    .where('accountId', '=', agency.accountId)
    .execute()
  assert.equal(await shown(), agency.accountId)
  await visit()
  const second = await addMember(app, agency.accountId, 'second@example.com')
  await app.db
    .updateTable('users')
    .set({ isOwner: false, isHolder: false })
    .where('accountId', '=', agency.accountId)
    .where('id', '=', agency.userId)
    .execute()
  assert.equal(await shown(), agency.accountId, `no longer an owner, ${second} ${guestId}`)
})
