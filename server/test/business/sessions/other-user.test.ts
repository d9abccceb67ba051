import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../helpers/harness.ts'
import { signIn } from '../../helpers/sessions.ts'

test('a page of one user does nothing once another has signed in in the same browser', async () => {
  await using app = await sharedApp()
  const [ana, ben] = [await app.makeAccount(), await app.makeAccount()]
  const browser = await signIn(app, ben) // all tabs of a browser share this cookie
  const own = await browser.call('GET', '/api/session', undefined, { 'x-app-user': ben.userId })
  assert.equal(own.status, 200)
  const change = () => browser.call('PATCH', '/api/account', { name: 'Of Ana' }, { 'x-app-user': ana.userId })
  const { status, body } = await change()
  assert.equal(status, 401)
  assert.equal(body.error.code, 'UNAUTHORIZED')
  const { body: account } = await browser.call('GET', '/api/account')
  assert.notEqual(account.name, 'Of Ana')
  // A browser sends no header with a stream: its address says whose page asks.
  const stream = (userId: string) => browser.call('HEAD', `/api/live?user=${userId}`)
  assert.equal((await stream(ana.userId)).status, 401)
  assert.equal((await stream(ben.userId)).status, 200)
})
