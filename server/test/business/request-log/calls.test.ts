import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { sharedApp, startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

type Call = { method: string; path: string; status: number; code: string | null; sentence: string | null }

async function lastCalls(app: TestApp, account: TestAccount): Promise<(Call & { requestId: string })[]> {
  return (await (await signIn(app, account)).call('GET', '/api/calls')).body.calls
}

test('the last calls of an account are shown with status, refusal and request id, without body, key or query', async () => {
  await using app = await sharedApp()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  await shop.post(incomingPath, incoming({ body: 'a secret text', fromId: 'ana' }))
  const refused = await shop.post('/contacts', { phone: 'nonsense', firstName: 'Ana' })
  await shop.get('/contacts?phoneNumber=%2B15559876543')
  await shop.post('/lists/not-an-id-of-ours/contacts', { contactId: 'con_1' })
  await shop.post(`/lists/${shop.listId}/contacts`, { contactId: 'con_1' })
  await until(async () => (await lastCalls(app, shop)).length === 5, 'the calls were not kept')
  const calls = await lastCalls(app, shop)
  assert.deepEqual(
    calls.toReversed().map(({ method, path, status, code }) => [method, path, status, code]),
    [
      ['POST', '/v1/incoming_custom_channel_message', 200, null],
      ['POST', '/v1/contacts', 400, 'INVALID_PHONE'],
      ['GET', '/v1/contacts', 404, 'CONTACT_NOT_FOUND'],
      ['POST', '/v1/lists/:listId/contacts', 404, 'LIST_NOT_FOUND'],
      ['POST', `/v1/lists/${shop.listId}/contacts`, 404, 'CONTACT_NOT_FOUND'],
    ],
  )
  assert.equal(calls[3]?.requestId, refused.headers['x-request-id'])
  assert.equal(calls[3]?.sentence, refused.body.error.message)
  const kept = JSON.stringify(await app.db.selectFrom('apiCalls').selectAll().execute())
  for (const text of [shop.apiKey, 'secret text', '15559876543', 'nonsense', 'not-an-id']) {
    assert.ok(!kept.includes(text), text)
  }
  assert.deepEqual(await lastCalls(app, other), [])
})

test('a flood is sampled with the refused calls first, and no account keeps more than 200 calls', async () => {
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  await other.get('/contacts?phoneNumber=%2B15559876543')
  const flood = Array.from({ length: 100 }, () => shop.post('/contacts', { phone: '+15551234567' }))
  await Promise.all(flood)
  await shop.post('/contacts', { phone: 'nonsense' })
  await until(async () => (await lastCalls(app, shop)).some(({ status }) => status === 400), 'no refused call is kept')
  assert.ok((await lastCalls(app, shop)).length < 100)
  await sql`
    insert into api_calls (account_id, at, method, path, status, duration_ms, request_id)
    select ${shop.accountId}, now(), 'GET', '/v1/contacts', 200, 1, n::text from generate_series(1, 300) n
  `.execute(app.db)
  await shop.get('/contacts?phoneNumber=%2B15559876543')
  const count = () => app.db.selectFrom('apiCalls').select('id').where('accountId', '=', shop.accountId).execute()
  await until(async () => (await count()).length === 200, 'old calls were not deleted')
  assert.equal((await lastCalls(app, other)).length, 1)
})

test('calls answered by one process are shown by another', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await using second = await startApp({}, app.database)
  await shop.post('/contacts', { phone: '+15551234567' })
  await until(async () => (await lastCalls(second, shop)).length === 1, 'the call is not shown')
})
