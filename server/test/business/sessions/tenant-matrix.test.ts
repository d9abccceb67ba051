import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appRoutes } from '@patchbay/contract/app/routes.ts'
import { type NamingParameter, namingParameters, requestTo, routeOf } from '../../helpers/app-requests.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { addMember, signIn } from '../../helpers/sessions.ts'
import { comparable, digestRows, fillAgency, fillTenant, type Names, unknownNames } from '../../helpers/tenants.ts'

const mark = 'Quixotic'

/** Two agencies with one of everything, a sub-account too, and two users of the first: the owner and a member. */
async function startTenants() {
  await using started = new AsyncDisposableStack()
  const app = started.use(await sharedApp())
  const [shop, rival] = [await app.makeAccount({ kind: 'agency' }), await app.makeAccount({ kind: 'agency' })]
  const [{ sub, names }, ofRival] = [await fillAgency(app, shop, 'Plain'), await fillAgency(app, rival, mark)]
  const own = { ...(await withSimulated(app, shop, await fillTenant(app, shop, 'Plain'))), ...names }
  const theirs = { ...(await withSimulated(app, rival, await fillTenant(app, rival, mark))), ...ofRival.names }
  const member = await addMember(app, shop.accountId, 'member@example.com')
  const users = { owner: await signIn(app, shop), member: await signIn(app, { ...shop, userId: member }) }
  const running = started.move()
  const subs = { own: sub, theirs: ofRival.sub }
  return { app, shop, rival, subs, own, theirs, users, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

type Tenants = Awaited<ReturnType<typeof startTenants>>
type Account = Awaited<ReturnType<TestApp['makeAccount']>>

async function withSimulated(app: TestApp, account: Account, names: Names): Promise<Names> {
  const browser = await signIn(app, account)
  const { body } = await browser.call('POST', '/api/simulator/contacts', { firstName: names.name })
  return { ...names, simulated: body.contactId }
}

const served = (app: TestApp) => app.routes.filter((name) => name.includes(' /api/'))
const mayCall = (name: string, role: 'owner' | 'member') => role === 'owner' || routeOf(name).guard === 'member'

for (const role of ['owner', 'member'] as const) {
  test(`another account's name for anything, in any parameter of any route, gets the answer of an unknown one and writes nothing: ${role}`, async () => {
    await using app = await sharedApp()
    for (const some of cellsOf(served(app), role)) {
      await using tenants = await startTenants()
      for (const [name, parameter] of some) await assertApart(tenants, name, { ...parameter, role })
    }
  })
}

/** Each is asked twice, and an account may have us call somebody twenty times a minute. */
const mostCallingOut = 10

/** What a role can name, in parts that one account may ask. */
function cellsOf(routes: string[], role: 'owner' | 'member'): [string, NamingParameter][][] {
  const names = routes.filter((name) => routeOf(name).guard !== 'anyone' && mayCall(name, role))
  const cells = names.flatMap((name) =>
    namingParameters(name).map((parameter): [string, NamingParameter] => [name, parameter]),
  )
  const { calling = [], others = [] } = Object.groupBy(cells, ([name]) =>
    routeOf(name).callsOut ? 'calling' : 'others',
  )
  const parts = Math.ceil(calling.length / mostCallingOut)
  return [others, ...Array.from({ length: parts }, (_, at) => calling.filter((_cell, n) => n % parts === at))]
}

async function assertApart(tenants: Tenants, name: string, cell: NamingParameter & { role: 'owner' | 'member' }) {
  const { app, rival, subs, own, theirs, users } = tenants
  const { kind, part, parameter, role } = cell
  const label = `${role}: ${name}, ${parameter} of the ${part} is a ${kind}`
  const ask = async (value: string) => {
    const { method, path, body } = requestTo(name, own, { part, parameter, value })
    return users[role].call(method, path, body)
  }
  const before = await digestRows(app.db)
  const unknown = await ask(unknownNames[kind])
  const answer = await ask(theirs[kind])
  assert.deepEqual(comparable(answer, theirs[kind]), comparable(unknown, unknownNames[kind]), label)
  if (part === 'params') assert.equal(answer.status, 404, label)
  assertNothingOf(theirs, answer.body, { label, given: theirs[kind] })
  const after = await digestRows(app.db)
  for (const { accountId } of [rival, subs.theirs]) assert.equal(after.get(accountId), before.get(accountId), label)
  if (answer.status >= 400) assert.deepEqual(after, before, label)
}

/** Nothing of the other account is in an answer, except what the request gave. */
function assertNothingOf(theirs: Names, body: unknown, { label, given = '' }: { label: string; given?: string }): void {
  const text = (JSON.stringify(body) ?? '').replaceAll(given || '\0', '')
  for (const value of [...Object.values(theirs), mark]) {
    if (value !== given) assert.ok(!text.includes(value), `${label}: ${value} is in ${text}`)
  }
}

test('every route works with the own names, shows nothing of another account, and leaves it unchanged', async () => {
  await using tenants = await startTenants()
  const { app, shop, rival, subs, own, theirs } = tenants
  for (const name of served(app).toSorted(byHarm)) {
    const { guard, callsOut } = routeOf(name)
    if (guard === 'anyone') continue
    const { method, path, body } = requestTo(name, own)
    const before = await digestRows(app.db)
    const asked = name === 'GET /api/live' ? 'HEAD' : method // a stream does not end
    const browser = await signIn(app, guard === 'subaccount' ? subs.own : shop)
    const answer = await browser.call(asked, path, body)
    assert.ok(!/^Only an? (agency|sub-account)/.test(answer.body?.error?.message ?? ''), name)
    assert.ok(![400, 401, 404, 405, 500].includes(answer.status) || callsOut, `${name}: ${JSON.stringify(answer.body)}`)
    assertNothingOf(theirs, answer.body, { label: name })
    const after = await digestRows(app.db)
    for (const { accountId } of [rival, subs.theirs]) assert.equal(after.get(accountId), before.get(accountId), name)
  }
})

/** What deletes comes last, and a part before the whole. */
function byHarm(one: string, other: string): number {
  const rank = (name: string) => (name.startsWith('DELETE') ? 1_000 - name.length : 0)
  return rank(one) - rank(other)
}

test('every route of the contract has its parameters known to these tests', () => {
  for (const name of Object.keys(appRoutes)) requestTo(name, unknownNames)
})

test("a cursor of another account's page shows nothing of it", async () => {
  await using tenants = await startTenants()
  const { app, shop, rival, subs, theirs } = tenants
  const paged = served(app).filter(
    (name) => 'before' in ((routeOf(name).query as { properties?: object })?.properties ?? {}),
  )
  for (const name of paged) {
    const pathOf = (names: Names, query: string) => {
      const { path } = requestTo(name, names)
      return `${path}${path.includes('?') ? '&' : '?'}${query}`
    }
    const ofSub = routeOf(name).guard === 'subaccount'
    const theirBrowser = await signIn(app, ofSub ? subs.theirs : rival)
    const { body } = await theirBrowser.call('GET', pathOf(theirs, 'limit=1'))
    const cursor = body.next ?? body.older
    if (cursor === null || cursor === undefined) continue
    const browser = await signIn(app, ofSub ? subs.own : shop)
    const answer = await browser.call('GET', pathOf(tenants.own, `before=${encodeURIComponent(String(cursor))}`))
    assert.ok([200, 400].includes(answer.status), name)
    assertNothingOf(theirs, answer.body, { label: name })
  }
})
