import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KyselyPlugin, RootOperationNode } from 'kysely'
import { checkAccounts } from '../../../src/platform/database/account-check.ts'
import { acrossAccounts, type Db } from '../../../src/platform/database/db.ts'
import { checkingAccounts, eachWithoutOne, forgetAccounts } from '../../helpers/account-conditions.ts'
import { namingParameters, requestTo, routeOf } from '../../helpers/app-requests.ts'
import { type Answer, sharedApp, startApp, type TestApp } from '../../helpers/harness.ts'
import { signIn } from '../../helpers/sessions.ts'
import { digestRows, fillTenant } from '../../helpers/tenants.ts'

const mark = 'Quixotic'

/** Two accounts with one of everything. */
async function startTenants() {
  const app = await sharedApp()
  const [shop, rival] = [await app.makeAccount(), await app.makeAccount()]
  const [own, theirs] = [await fillTenant(app, shop, 'Plain'), await fillTenant(app, rival, mark)]
  return { app, shop, rival, own, theirs, [Symbol.asyncDispose]: app[Symbol.asyncDispose] }
}

/** A second server on the same data, whose routes use the database that `changeDb` returns. */
function startBeside({ app }: Tenants, changeDb: (db: Db) => Db): Promise<TestApp> {
  return startApp({}, app.database, {}, changeDb)
}

type Tenants = Awaited<ReturnType<typeof startTenants>>
type Trespass = { answers: Map<string, Answer[]>; hasChanged: boolean }

/** Every answer to a request in which one account names something of another, by route; and whether those changed. */
async function trespass({ shop, rival, own, theirs }: Tenants, app: TestApp): Promise<Trespass> {
  const browser = await signIn(app, shop)
  const answers = new Map<string, Answer[]>()
  const before = await digestRows(app.db)
  const [phone, email] = [encodeURIComponent(theirs.phone), encodeURIComponent(theirs.email)]
  const found = [`phoneNumber=${phone}`, `email=${email}`].map((query) =>
    app.call('GET', `/contacts?${query}`, { key: shop.apiKey }),
  )
  answers.set('GET /v1/contacts', await Promise.all(found))
  for (const name of app.routes.filter((route) => route.includes(' /api/') && routeOf(route).guard !== 'anyone')) {
    const given = []
    for (const { part, parameter, kind } of namingParameters(name)) {
      const { method, path, body } = requestTo(name, own, { part, parameter, value: theirs[kind] })
      given.push(await browser.call(method, path, body))
    }
    answers.set(name, given)
  }
  const hasChanged = (await digestRows(app.db)).get(rival.accountId) !== before.get(rival.accountId)
  return { answers, hasChanged }
}

/** The routes whose answers show something of the other account. */
function leaks({ answers }: { answers: Map<string, Answer[]> }): string[] {
  // A file has no JSON.
  const isLeak = ({ status, body }: Answer) => status < 300 && (JSON.stringify(body)?.includes(mark) ?? true)
  return [...answers].filter(([, given]) => given.some(isLeak)).map(([name]) => name)
}

const forgetful = (db: Db) => acrossAccounts(db).withPlugin(forgetAccounts)

test('where the account is forgotten in every query that a route builds, the check shows and changes nothing of others', async () => {
  await using tenants = await startTenants()
  await using app = await startBeside(tenants, (db) => forgetful(db).withPlugin(checkingAccounts))
  const { answers, hasChanged } = await trespass(tenants, app)
  assert.deepEqual([leaks({ answers }), hasChanged], [[], false])
  const statuses = answers.get('GET /v1/contacts')?.map(({ status }) => status)
  assert.deepEqual(statuses, [500, 500])
})

test('without the check the same requests show what belongs to others: the test above can fail', async () => {
  await using tenants = await startTenants()
  await using app = await startBeside(tenants, forgetful)
  assert.ok(leaks(await trespass(tenants, app)).includes('GET /v1/contacts'))
})

test('whichever condition on the account is taken out of a query that the routes build, the query is refused', async () => {
  await using tenants = await startTenants()
  const built: RootOperationNode[] = []
  const recording: KyselyPlugin = {
    transformQuery: ({ node }) => {
      built.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await using app = await startBeside(tenants, (db) => db.withPlugin(recording))
  await trespass(tenants, app)
  const mutants = built.flatMap(eachWithoutOne)
  assert.ok(mutants.length > 20, `${mutants.length} queries without one of their conditions`)
  for (const mutant of mutants) assert.throws(() => checkAccounts(mutant), /does not say which/, JSON.stringify(mutant))
})
