import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newApiKey } from '../../../src/business/accounts/api-key.ts'
import { generateKey } from '../../../src/business/accounts/credentials.ts'
import { sharedApp, startApp, type TestAccount } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { countRows } from '../../helpers/rows.ts'

const phone = '+15551234567'

/** Every endpoint that requires a key, with a valid request. */
function endpoints({ listId }: TestAccount, contactId: string) {
  return [
    { method: 'POST', path: '/contacts', body: { phone } },
    { method: 'GET', path: '/contacts?phoneNumber=15551234567' },
    { method: 'POST', path: `/lists/${listId}/contacts`, body: { contactId } },
  ]
}

test('a key is accepted in the query, in the header, or in both when they agree, on every endpoint', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const { body: contact } = await shop.post('/contacts', { phone })
  const headers = { 'x-api-key': shop.apiKey }
  for (const { method, path, body } of endpoints(shop, contact.id)) {
    const options = body ? { body } : {}
    for (const given of [{ key: shop.apiKey }, { headers }, { key: shop.apiKey, headers }]) {
      const { status } = await app.call(method, path, { ...options, ...given })
      assert.equal(status, 200, `${method} ${path} ${Object.keys(given)}`)
    }
  }
})

test('a key that is missing, malformed, unknown, repeated or contradicted is 401 on every endpoint', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const rival = await app.makeAccount()
  const { body: contact } = await shop.post('/contacts', { phone })
  const { apiKey: key } = shop
  const other = rival.apiKey
  const query = (...keys: string[]) => ({ query: keys.map((value) => `apiKey=${encodeURIComponent(value)}`).join('&') })
  const header = (value: string | string[]) => ({ headers: { 'x-api-key': value } })
  const presented = [
    {},
    ...['', 'x', ' ', `${key} `, ` ${key}`, key.toUpperCase(), key.slice(0, -1), `${key}x`, `${key}\0`].map((text) =>
      query(text),
    ),
    ...['pb_é', "' or 1=1 --", 'x'.repeat(129), 'x'.repeat(10_000), newApiKey(), `pb_${'0'.repeat(43)}`].map((text) =>
      query(text),
    ),
    ...['', 'x', key.slice(1), `${key}x`, newApiKey(), `Bearer ${key}`].map((text) => header(text)),
    { headers: { authorization: `Bearer ${key}` } },
    query(key, key),
    query(key, other),
    { query: `apiKey[]=${key}` },
    { query: `apikey=${key}` },
    header([key, key]),
    header([key, other]),
    { ...query(key), ...header(other) },
    { ...query(key), ...header(newApiKey()) },
    { ...query(newApiKey()), ...header(key) },
    { ...query(key, key), ...header(key) },
  ]
  for (const { method, path, body } of endpoints(shop, contact.id)) {
    const answers = await Promise.all(
      presented.map(({ query = '', headers = {} }: { query?: string; headers?: Record<string, string | string[]> }) => {
        const address = `${path}${path.includes('?') ? '&' : '?'}${query}`
        return app.call(method, address, body ? { body, headers } : { headers })
      }),
    )
    for (const [index, answer] of answers.entries()) {
      const label = `${method} ${path} ${JSON.stringify(presented[index])}`
      assertRefused(answer, 'UNAUTHORIZED', { says: /API key/, label })
      assert.deepEqual(answer.body, answers[0]?.body, label)
    }
  }
  assert.deepEqual(await countRows(app), { contacts: 1, members: 0 })
})

test('the key is checked before the body is read', async () => {
  await using app = await sharedApp()
  for (const raw of ['', '{', '[]', '{"phone":1}', 'x'.repeat(300_000)]) {
    assertRefused(await app.call('POST', '/contacts', { raw }), 'UNAUTHORIZED', { label: raw.slice(0, 20) })
  }
})

test('a new key works at once, and the old one stops within a second although it is cached', async () => {
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  const path = '/contacts?phoneNumber=15551234567'
  assert.equal((await shop.get(path)).status, 404)

  const fresh = await generateKey(app.db, shop.email)

  const endsAt = performance.now() + 1_000
  assert.equal((await app.call('GET', path, { key: fresh })).status, 404)
  for (let askedAt = 0, status = 0; status !== 401; ) {
    assert.ok(askedAt < endsAt, 'the old key still works')
    askedAt = performance.now()
    status = (await shop.get(path)).status
  }
  assert.equal((await app.call('GET', path, { key: fresh })).status, 404)
  const [old, unknown] = [await shop.get(path), await app.call('GET', path, { key: newApiKey() })]
  assert.deepEqual([old.status, old.body], [401, unknown.body], 'one that existed is as unknown as any')
  assert.deepEqual(Object.keys(old.headers), Object.keys(unknown.headers))
})

test('the database stores the hash of a key and nowhere the key', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await shop.post('/contacts', { phone })
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'
  `.execute(app.db)
  assert.ok(tables.length > 5)
  const spellings = [shop.apiKey, shop.apiKey.slice(3), Buffer.from(shop.apiKey).toString('hex')]
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(app.db)
    for (const { text } of rows) for (const key of spellings) assert.ok(!text.includes(key), `${name}: ${text}`)
  }
  const [kept] = await app.db.selectFrom('apiKeys').select('keyHash').execute()
  assert.equal(kept?.keyHash.toString('hex'), createHash('sha256').update(shop.apiKey).digest('hex'))
})

test('a key has 256 random bits after its prefix, and no two are alike', () => {
  const keys = Array.from({ length: 1_000 }, () => newApiKey())
  for (const key of keys) assert.match(key, /^pb_[A-Za-z0-9_-]{43}$/)
  assert.equal(new Set(keys).size, keys.length)
})

// H22; a thousand a second for minutes: `npm run soak -- --only wrong-keys`
test('500 wrong keys at once get 401 each, and a valid key is served meanwhile', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const wrong = Array.from({ length: 500 }, () =>
    app.call('GET', '/contacts?email=a@example.com', { key: newApiKey() }),
  )
  const right = Array.from({ length: 20 }, (_, index) => shop.post('/contacts', { email: `a${index}@example.com` }))
  for (const { status } of await Promise.all(right)) assert.equal(status, 201)
  for (const { status } of await Promise.all(wrong)) assert.equal(status, 401)
})

test("one account's key never sees or changes what another account has", async () => {
  await using app = await sharedApp()
  const [shop, rival] = [await app.makeAccount(), await app.makeAccount()]
  const mine = { phone, email: 'ana@example.com', firstName: 'Ana' }
  const { body: contact } = await shop.post('/contacts', mine)

  for (const query of ['phoneNumber=15551234567', 'email=ana@example.com']) {
    assertRefused(await rival.get(`/contacts?${query}`), 'CONTACT_NOT_FOUND')
  }
  const theirs = await rival.post('/contacts', { phone, email: 'ana@example.com' })
  assert.equal(theirs.status, 201)
  assert.notEqual(theirs.body.id, contact.id)
  assert.equal(theirs.body.firstName, null)
  for (const [listId, contactId] of [
    [shop.listId, contact.id],
    [shop.listId, theirs.body.id],
    [rival.listId, contact.id],
  ]) {
    assert.equal((await rival.post(`/lists/${listId}/contacts`, { contactId })).status, 404)
  }
  assert.equal((await shop.get('/contacts?phoneNumber=15551234567')).body.firstName, 'Ana')
  assert.deepEqual(await countRows(app), { contacts: 2, members: 0 })
})

test('when the database fails, a key gets 500, not 401', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  await app.pools.keys.end()
  for (const key of [shop.apiKey, newApiKey()]) {
    assertRefused(await app.call('GET', '/contacts?email=a@example.com', { key }), 'INTERNAL')
  }
  assertRefused(await app.call('GET', '/contacts?email=a@example.com'), 'UNAUTHORIZED')
})
