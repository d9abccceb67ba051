import assert from 'node:assert/strict'
import type { TestApp } from './harness.ts'
import { type SignedIn, signIn } from './sessions.ts'

/** An account with its owner signed in. */
export async function startShop(app: TestApp) {
  const shop = await app.makeAccount()
  return { shop, browser: await signIn(app, shop) }
}

export async function makeContact(browser: SignedIn, fields: object): Promise<string> {
  const { status, body } = await browser.call('POST', '/api/contacts', fields)
  assert.deepEqual([status, body.isNew], [200, true], JSON.stringify(body))
  return body.contact.id
}
