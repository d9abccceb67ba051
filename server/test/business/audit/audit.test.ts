import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditEvent } from '@patchbay/contract/app/audit.ts'
import { appRoutes } from '@patchbay/contract/app/routes.ts'
import { sql } from 'kysely'
import { noteAct, operator } from '../../../src/business/audit/store.ts'
import { startAgency } from '../../helpers/credits.ts'
import { startApp, type TestApp } from '../../helpers/harness.ts'
import { removeOld } from '../../helpers/retention.ts'
import { signIn } from '../../helpers/sessions.ts'

async function startAudit() {
  const app = await startApp()
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const acts = async (query = '') =>
    (await owner.call('GET', `/api/audit${query}`)).body.events.map(({ act }: { act: string }) => act)
  return { app, shop, owner, acts, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const signInByForm = (app: TestApp, email: string, password: string) =>
  app.call('POST', '/api/session', { body: { email, password }, headers: { 'sec-fetch-site': 'same-origin' } })

test('keys, the webhook, erasures and sign-ins are written down with who did it and from where', async () => {
  await using started = await startAudit()
  const { owner, acts } = started
  await owner.call('POST', '/api/account/key')
  await owner.call('PUT', '/api/webhook', { url: 'http://127.0.0.1:9/hook' })
  await owner.call('POST', '/api/webhook/pause')
  await owner.call('POST', '/api/webhook/resume')
  await owner.call('POST', '/api/webhook/rotate', { leaked: false })
  const made = await owner.call('POST', '/api/contacts', { firstName: 'Quixotic', email: 'q@example.com' })
  await owner.call('DELETE', `/api/contacts/${made.body.contact.id}`)
  assert.deepEqual(await acts(), [
    'contact erased',
    'secret rotated',
    'webhook resumed',
    'webhook paused',
    'webhook changed',
    'key generated',
  ])
  assert.deepEqual(await acts('?group=erasures'), ['contact erased'])
  assert.deepEqual(await acts('?q=127.0.0.1%3A9'), ['webhook changed'])
  const { body } = await owner.call('GET', '/api/audit')
  assert.deepEqual(
    [...new Set(body.events.map(({ actor }: { actor: object }) => JSON.stringify(actor)))],
    [JSON.stringify({ kind: 'user', name: 'owner1' })],
  )
  assert.ok(body.events.every(({ address }: { address: string }) => address === 'loopback'))
  assert.ok(!JSON.stringify(body).includes('Quixotic'), 'nothing of the contact but its id')
  assert.ok(!JSON.stringify(body).includes('whsec'), 'no secret')
})

test('an act that was refused is not written down', async () => {
  await using started = await startAudit()
  const { owner, acts } = started
  await owner.call('POST', '/api/webhook/pause')
  await owner.call('PUT', '/api/webhook', { url: 'http://10.0.0.1/' })
  await owner.call('DELETE', '/api/contacts/con_00000000000000000000000000000000')
  assert.deepEqual(await acts(), [])
})

test('sign-ins are written down, and wrong passwords once there are five of them', async () => {
  await using started = await startAudit()
  const { app, owner, acts } = started
  for (let n = 0; n < 5; n += 1) await signInByForm(app, 'owner1@example.com', 'wrong')
  await signInByForm(app, 'nobody@example.com', 'wrong')
  assert.deepEqual(await acts('?group=people'), ['sign-ins failed'])
  const { body } = await owner.call('GET', '/api/audit')
  assert.deepEqual(body.events[0].details, { email: 'owner1@example.com', times: 5 })
})

test('pages and the file have every line once, newest first; cells that a spreadsheet would run are harmless', async () => {
  await using started = await startAudit()
  const { app, shop, owner } = started
  for (let n = 0; n < 7; n += 1) {
    await noteAct(app.db, shop.accountId, { act: 'webhook changed', ...operator, details: { host: `=host${n}` } })
    await sleep(2) // ids sort by the millisecond
  }
  const seen: string[] = []
  for (let before = ''; ; ) {
    const { body } = await owner.call('GET', `/api/audit?limit=3${before}`)
    seen.push(...body.events.map(({ details }: { details: { host: string } }) => details.host))
    if (body.next === null) break
    before = `&before=${body.next}`
  }
  assert.deepEqual(seen, ['=host6', '=host5', '=host4', '=host3', '=host2', '=host1', '=host0'])
  await noteAct(app.db, shop.accountId, {
    act: 'sign-ins failed',
    actor: { kind: 'nobody' },
    details: {},
    address: '=1+1',
  })
  const { body: file, headers } = await owner.call('GET', '/api/audit/csv')
  assert.match(String(headers['content-type']), /^text\/csv/)
  const lines = file.trim().split('\r\n')
  assert.equal(lines.length, 9)
  assert.match(lines[1], /,'=1\+1$/)
  assert.equal((await owner.call('GET', '/api/audit?before=x')).status, 400)
})

test('a grant by API key is in the audit of the agency and of the sub-account, once, among what else was done', async () => {
  await using world = await startAgency()
  const { app, agency } = world
  const [sub, other] = [await world.makeSub(), await world.makeSub()]
  const [owner, subOwner, stranger] = [await signIn(app, agency), await signIn(app, sub), await signIn(app, other)]
  await world.ask({ email: sub.email, amount: 12.5 }, { once: 'first' })
  await world.ask({ email: sub.email, amount: 12.5 }, { once: 'first' })
  await sleep(2) // ids sort by the millisecond
  await owner.call('POST', '/api/account/key')
  await sleep(2)
  const order = { amount: '3', idempotencyKey: 'a-grant-in-the-app' }
  const granted = await owner.call('POST', `/api/agency/subaccounts/${sub.accountId}/grants`, order)
  assert.equal(granted.status, 200)
  const seen = async (user: typeof owner, query = '') => {
    const { body } = await user.call('GET', `/api/audit${query}`)
    return body.events.map((e: AuditEvent) => [e.act, e.actor.kind, e.details.credits, e.details.email])
  }
  const byKey = ['credits granted', 'key', 12.5, sub.email]
  assert.deepEqual(await seen(owner), [
    ['credits granted', 'user', 3, sub.email],
    ['key generated', 'user', undefined, undefined],
    byKey,
  ])
  assert.deepEqual(await seen(owner, '?group=credits&q=12.5'), [byKey])
  assert.deepEqual(await seen(owner, '?group=keys'), [['key generated', 'user', undefined, undefined]])
  assert.deepEqual(await seen(subOwner), [
    ['credits granted', 'agency', 3, sub.email],
    ['credits granted', 'agency', 12.5, sub.email],
  ])
  assert.deepEqual(await seen(stranger), [])
  const first = await owner.call('GET', '/api/audit?limit=2')
  assert.deepEqual(await seen(owner, `?before=${first.body.next}`), [byKey])
  const { body: file } = await owner.call('GET', '/api/audit/csv')
  assert.match(file.trim().split('\r\n').at(-1), /,credits granted,key,,.*credits: 12\.5/)
})

test('no route changes or removes what is in the audit, and no statement but the one that removes what is over', async () => {
  const routes = Object.keys(appRoutes).filter((name) => name.includes('audit'))
  assert.deepEqual(routes, ['GET /api/audit', 'GET /api/audit/csv'])
  const folder = resolve(import.meta.dirname, '../../../src')
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const writes =
    /(update|delete from|truncate|into|updateTable\('|deleteFrom\('|insertInto\(')\s*(audit_events|auditEvents)/gi
  const found = await Promise.all(
    names.map(async (name) =>
      [...(await readFile(resolve(folder, name), 'utf8')).matchAll(writes)].map(([text]) => text),
    ),
  )
  assert.deepEqual(found.flat(), ['into audit_events'])
})

test('lines are kept for a year', async () => {
  await using started = await startAudit()
  const { app, shop, acts } = started
  await noteAct(app.db, shop.accountId, { act: 'key generated', ...operator })
  await noteAct(app.db, shop.accountId, { act: 'webhook changed', ...operator })
  await sql`update audit_events set at = now() - interval '366 days' where act = 'key generated'`.execute(app.db)
  await removeOld(app.db)
  assert.deepEqual(await acts(), ['webhook changed'])
})
