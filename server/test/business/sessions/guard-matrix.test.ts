import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newToken } from '../../../src/business/sessions/session-cookie.ts'
import { requestTo, routeOf } from '../../helpers/app-requests.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { addMember, signIn, withCookie } from '../../helpers/sessions.ts'
import { digestRows, fillTenant } from '../../helpers/tenants.ts'

test('every route of the app refuses whoever is not signed in, and a member where only the owner may, and writes nothing', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const own = await fillTenant(app, shop, 'Plain')
  const member = await signIn(app, { ...shop, userId: await addMember(app, shop.accountId, 'member@example.com') })
  const strangers = {
    'without a cookie': withCookie(app, shop.userId, ''),
    'with a token that nobody has': withCookie(app, shop.userId, `__Host-patchbay=${newToken()}`),
    'with an API key as the cookie': withCookie(app, shop.userId, `__Host-patchbay=${shop.apiKey}`),
  }
  const routes = app.routes.filter((name) => name.includes(' /api/'))
  assert.deepEqual(
    routes.filter((name) => routeOf(name).guard === 'anyone'),
    ['POST /api/session', 'POST /api/links', 'POST /api/links/invitation', 'POST /api/links/password'],
  )
  const before = await digestRows(app.db)
  for (const name of routes) {
    const { method, path, body } = requestTo(name, own)
    const { guard } = routeOf(name)
    if (guard === 'anyone') continue
    for (const [how, stranger] of Object.entries(strangers)) {
      const { status, body: answer } = await stranger.call(method, path, body)
      assert.deepEqual([status, answer.error.code], [401, 'UNAUTHORIZED'], `${name} ${how}`)
    }
    if (guard !== 'owner') continue
    const { status, body: answer } = await member.call(method, path, body)
    assert.deepEqual([status, answer.error.code], [403, 'FORBIDDEN'], `${name} as a member`)
  }
  assert.deepEqual(await digestRows(app.db), before)
})
