import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@patchbay/contract/limits.ts'
import { newId } from '../../../src/platform/ids.ts'
import { makeMembers, news, startCast } from '../../helpers/broadcasts.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { signIn } from '../../helpers/sessions.ts'

const countBroadcasts = async ({ db }: TestApp) => (await db.selectFrom('broadcasts').select('id').execute()).length

test('a repeated POST with the same Idempotency-Key starts one broadcast, and another body is refused', async () => {
  await using app = await sharedApp()
  const { apiKey: key, listId } = await app.makeAccount()
  const headers = { 'idempotency-key': 'sunday' }
  const send = (over = {}) => app.call('POST', '/broadcasts', { key, headers, body: { listId, ...news, ...over } })
  const [one, two] = await Promise.all([send(), send()])
  assert.deepEqual([one.status, two.status], [201, 201])
  assert.equal(one.body.id, two.body.id)
  assert.match(one.body.id, /^brc_[0-9a-f]{32}$/)
  assert.equal((await send({ body: 'Another' })).status, 400)
  assert.equal(await countBroadcasts(app), 1)
})

test('wrong input is refused with a sentence that names it, and starts nothing', async () => {
  await using app = await sharedApp()
  const [account, other] = [await app.makeAccount(), await app.makeAccount()]
  const wrong: [Record<string, unknown>, number, string, RegExp][] = [
    [{ listId: newId('lst') }, 404, 'LIST_NOT_FOUND', /no such list/],
    [{ listId: other.listId }, 404, 'LIST_NOT_FOUND', /no such list/],
    [{ listId: 'lst' }, 404, 'LIST_NOT_FOUND', /no such list/],
    [{ listId: undefined }, 400, 'INVALID_REQUEST', /listId/],
    [{ customChannel: ' ' }, 400, 'INVALID_REQUEST', /customChannel/],
    [{ body: '' }, 400, 'INVALID_REQUEST', /body/],
    [{ body: 'Hello {{lastName}}' }, 400, 'INVALID_REQUEST', /\{\{lastName\}\}.*only \{\{firstName\}\}/],
    [{ body: 'Hello {{ first name }}' }, 400, 'INVALID_REQUEST', /only \{\{firstName\}\}/],
    [{ body: '{{firstName}}' }, 400, 'INVALID_REQUEST', /besides \{\{firstName\}\}/],
    [{ body: `${'é'.repeat(limits.bodyBytes / 2)}{{firstName}}` }, 400, 'INVALID_REQUEST', /bytes/],
    [{ ratePerMinute: 0 }, 400, 'INVALID_REQUEST', /ratePerMinute/],
    [{ ratePerMinute: 6_001 }, 400, 'INVALID_REQUEST', /ratePerMinute/],
    [{ ratePerMinute: 1.5 }, 400, 'INVALID_REQUEST', /ratePerMinute/],
    [{ campaignId: newId('cmp') }, 400, 'INVALID_REQUEST', /campaign/],
    [{ campaignId: 'none' }, 400, 'INVALID_REQUEST', /campaign/],
    [{ name: 'n'.repeat(257) }, 400, 'INVALID_REQUEST', /name/],
  ]
  for (const [over, status, code, sentence] of wrong) {
    const answer = await account.post('/broadcasts', { listId: account.listId, ...news, ...over })
    assert.deepEqual([answer.status, answer.body.error?.code], [status, code], JSON.stringify(over).slice(0, 80))
    assert.match(answer.body.error.message, sentence)
  }
  assert.equal(await countBroadcasts(app), 0)
})

test('a broadcast of another account, or an unknown one, is not found', async () => {
  await using app = await sharedApp()
  const [account, other] = [await app.makeAccount(), await app.makeAccount()]
  const id = await startCast(account)
  assert.equal((await account.get(`/broadcasts/${id}`)).body.id, id)
  const answers = await Promise.all([
    other.get(`/broadcasts/${id}`),
    other.get(`/broadcasts/${newId('brc')}`),
    other.get('/broadcasts/no'),
  ])
  for (const { status, body } of answers) {
    assert.deepEqual([status, body], [404, { error: { code: 'NOT_FOUND', message: 'There is no such broadcast.' } }])
  }
})

test('what is left out stays out: the name is that of the list, the rate 600, null and empty texts count as left out', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const { body } = await account.post('/broadcasts', {
    listId: account.listId,
    customChannel: ' web chat ',
    body: 'Hello',
    name: '',
    campaignId: null,
  })
  assert.deepEqual(
    [body.name, body.ratePerMinute, body.campaignId, body.customChannel],
    ['Customers', 600, null, 'web chat'],
  )
})

test('an account has a limited number of broadcasts under way, also of those that start at the same moment', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const all = Array.from({ length: 25 }, () => account.post('/broadcasts', { listId: account.listId, ...news }))
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 201).length, limits.broadcast.atOnce)
  assert.equal(statuses.filter((status) => status === 400).length, 5)
})

test('the preview counts who gets a message and who not, and fills in the names', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const user = await signIn(app, account)
  const ids = await makeMembers(app.db, account, 9)
  const [optedOut, noId, noName] = ids
  await app.db
    .updateTable('contacts')
    .set({ optedOutAt: new Date(), optedOutBy: 'contact' })
    .where('id', '=', optedOut as never)
    .execute()
  await app.db
    .updateTable('contacts')
    .set({ externalId: null })
    .where('id', '=', noId as never)
    .execute()
  await app.db
    .updateTable('contacts')
    .set({ firstName: null })
    .where('id', '=', noName as never)
    .execute()
  const draft = { listId: account.listId, channel: 'web chat', body: 'Hello {{firstName}}, we are open.' }
  const { status, body } = await user.call('POST', '/api/broadcasts/preview', draft)
  assert.equal(status, 200)
  const { listName, contacts, messages, trouble } = body
  assert.deepEqual([listName, contacts, body.optedOut, body.noId, trouble], ['Customers', 9, 1, 1, 'no_endpoint'])
  assert.deepEqual(
    messages.map(({ body: text }: { body: string }) => text),
    ['Hello, we are open.', 'Hello Reader e, we are open.', 'Hello Reader f, we are open.'],
  )
  assert.equal((await user.call('POST', '/api/broadcasts/preview', { ...draft, body: '{{no}}' })).status, 400)
  assert.equal((await user.call('POST', '/api/broadcasts/preview', { ...draft, listId: newId('lst') })).status, 404)
  assert.equal(await countBroadcasts(app), 0)
})

test('the app starts a broadcast once for each clientId, and says who started it', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const user = await signIn(app, account)
  const clientId = 'broadcast-0123456789'
  const draft = {
    listId: account.listId,
    channel: 'web chat',
    body: 'Hello',
    ratePerMinute: 60,
    name: 'Sunday',
    clientId,
  }
  const [one, two] = await Promise.all([
    user.call('POST', '/api/broadcasts', draft),
    user.call('POST', '/api/broadcasts', draft),
  ])
  assert.deepEqual([one.status, two.status, one.body.id], [200, 200, two.body.id])
  assert.equal(await countBroadcasts(app), 1)
  const { body } = await user.call('GET', '/api/broadcasts')
  const [shown] = body.broadcasts
  assert.deepEqual([shown.name, shown.startedBy, shown.list.name], ['Sunday', 'owner1', 'Customers'])
  assert.equal(body.next, null)
  await user.call('POST', `/api/broadcasts/${one.body.id}/stop`)
  await user.call('DELETE', `/api/lists/${account.listId}`)
  const gone = await user.call('GET', `/api/broadcasts/${one.body.id}`)
  assert.deepEqual(gone.body.list, { id: null, name: 'Customers' })
})
