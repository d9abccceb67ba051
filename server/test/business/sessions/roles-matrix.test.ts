import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AppRoute } from '@patchbay/contract/app/route.ts'
import { requestTo, routeOf } from '../../helpers/app-requests.ts'
import { makeSubaccount } from '../../helpers/credits.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { addManager, addMember, type SignedIn, signIn } from '../../helpers/sessions.ts'
import { unknownNames } from '../../helpers/tenants.ts'

const roles = [
  'owner',
  'member',
  'manager',
  'agency owner',
  'agency member',
  'agency visiting',
  'sub-account owner',
] as const
type Role = (typeof roles)[number]

/** What the table of guards says. */
function mayCall({ guard, notVisiting }: AppRoute, role: Role): boolean {
  if (role === 'agency visiting' && notVisiting) return false
  const isMember = role === 'member' || role === 'agency member' || role === 'manager'
  if (guard === 'member' || (guard === 'manager' && role === 'manager')) return true
  if (guard === 'manager') return !isMember
  if (guard === 'owner') return !isMember
  if (guard === 'agency') return role === 'agency owner'
  return role === 'sub-account owner' || role === 'agency visiting'
}

/** One browser for each role, signed in anew: a route may end the session. */
async function openBrowsers(app: TestApp): Promise<(role: Role) => Promise<SignedIn>> {
  const shop = await app.makeAccount()
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId, 'sub@example.com')
  const users = {
    owner: shop,
    member: { ...shop, userId: await addMember(app, shop.accountId, 'member@example.com') },
    manager: { ...shop, userId: await addManager(app, shop.accountId, 'manager@example.com') },
    'agency owner': agency,
    'agency member': { ...agency, userId: await addMember(app, agency.accountId, 'assistant@example.com') },
    'agency visiting': agency,
    'sub-account owner': sub,
  }
  return async (role) => {
    const browser = await signIn(app, users[role])
    if (role !== 'agency visiting') return browser
    const { status } = await browser.call('POST', '/api/session/visit', { accountId: sub.accountId })
    assert.equal(status, 200)
    return browser
  }
}

test('each role may call exactly the routes that the table of guards gives it', async () => {
  await using app = await sharedApp({ ROLE: 'all' }) // a route waits for a worker
  const open = await openBrowsers(app)
  const routes = app.routes.filter((name) => name.includes(' /api/') && routeOf(name).guard !== 'anyone')
  for (const role of roles) {
    for (const name of routes) {
      const { method, path, body } = requestTo(name, unknownNames)
      const asked = name === 'GET /api/live' ? 'HEAD' : method // a stream does not end
      // Only the name of the business is for owners, and a member may change the own one.
      if (name === 'PATCH /api/account' && body && 'name' in body) delete body.name
      const browser = await open(role)
      const answer = await browser.call(asked, path, body)
      const { code, message } = answer.body?.error ?? {}
      const isRefused = answer.status === 403 && code === 'FORBIDDEN' && /^(Only|An agency)/.test(message)
      assert.equal(isRefused, !mayCall(routeOf(name), role), `${name} as ${role}: ${answer.status} ${message}`)
      assert.notEqual(answer.status, 500, name)
    }
  }
})
