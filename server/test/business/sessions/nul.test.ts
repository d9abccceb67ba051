import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { requestTo, routeOf } from '../../helpers/app-requests.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { signIn } from '../../helpers/sessions.ts'
import { fillAgency, fillTenant } from '../../helpers/tenants.ts'

const namesIn = (schema: TSchema | undefined) =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})

test('a NUL character in any part of a path or of a query of the app is an answer, and never our failure', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount({ kind: 'agency' })
  const { names } = await fillAgency(app, shop, 'Plain')
  const own = { ...(await fillTenant(app, shop, 'Plain')), ...names }
  const browser = await signIn(app, shop)
  const failed: string[] = []
  for (const name of app.routes.filter((one) => one.includes(' /api/'))) {
    for (const part of ['params', 'query'] as const) {
      for (const parameter of namesIn(routeOf(name)[part])) {
        const { method, path, body } = requestTo(name, own, { part, parameter, value: 'a\0b' })
        const { status } = await browser.call(method, path, body)
        if (status >= 500) failed.push(`${name}, ${parameter}: ${status}`)
      }
    }
  }
  assert.deepEqual(failed, [])
  assertRefused(await shop.get('/broadcasts/a%00b'), 'NOT_FOUND')
  assertRefused(await shop.post('/lists/a%00b/contacts', { contactId: 'a' }), 'LIST_NOT_FOUND')
})
