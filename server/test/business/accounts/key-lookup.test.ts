import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pool, QueryConfig } from 'pg'
import { hashApiKey, newApiKey } from '../../../src/business/accounts/api-key.ts'
import { openKeyLookup } from '../../../src/business/accounts/key-lookup.ts'
import { startApp, type TestApp } from '../../helpers/harness.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { holdLock } from '../../helpers/rows.ts'

/** A look-up on the server's own connections, and the number of keys in each of its queries. */
function watchLookup({ pools }: TestApp) {
  const queries: number[] = []
  const query = (config: QueryConfig<Buffer[][]>) => {
    queries.push(config.values?.[0]?.length ?? 0)
    return pools.keys.query(config)
  }
  return { keys: openKeyLookup({ query } as unknown as Pool), queries } // it uses nothing else of a pool
}

test('of a flood of wrong keys a bounded number waits, in queries of bounded size, and the others are refused as busy', async () => {
  await using app = await startApp()
  const { keys, queries } = watchLookup(app)
  const flood = Array.from({ length: 10_000 }, () => keys.find(newApiKey()))
  const outcomes = await Promise.allSettled(flood)
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  for (const { reason } of refused) {
    assert.deepEqual([reason.code, reason.retryAfterSeconds], ['RATE_LIMITED', 1], String(reason))
    assert.match(reason.message, /busy/)
  }
  assert.equal(outcomes.length - refused.length, 1 + 2_000, 'one in flight, the others waiting')
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') assert.equal(outcome.value, undefined)
  assert.ok(Math.max(...queries) <= 256, `${Math.max(...queries)} keys in one query`)
  assert.ok(queries.length <= 1 + Math.ceil(2_000 / 256), `${queries.length} queries`)
})

test('a cached key is looked up before a flood that came first', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const known = hashApiKey(shop.apiKey)
  const flooded = Promise.withResolvers<void>()
  const query = async (config: QueryConfig<Buffer[][]>) => {
    if (!config.values?.[0]?.some((hash) => hash.equals(known))) await flooded.promise
    return app.pools.keys.query(config)
  }
  const keys = openKeyLookup({ query } as unknown as Pool)
  assert.equal((await keys.find(shop.apiKey))?.accountId, shop.accountId)
  const flood = Array.from({ length: 2_000 }, () => keys.find(newApiKey()))
  assert.equal((await keys.find(shop.apiKey))?.accountId, shop.accountId, 'while no query of the flood is answered')
  flooded.resolve()
  assert.ok((await Promise.all(flood)).every((caller) => caller === undefined))
})

test('keys are looked up and messages stored while every connection of the other requests is in use', async () => {
  await using app = await startApp()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const taken = Array.from({ length: 10 }, () => app.db.connection().execute(() => released))
  let isServed = false
  const waiting = shop.get('/contacts?email=a@example.com').then(() => (isServed = true))
  assert.equal((await app.call('GET', '/contacts?email=a@example.com', { key: newApiKey() })).status, 401)
  assert.equal((await other.post(incomingPath, incoming())).status, 200)
  assert.equal(isServed, false, 'a connection was left')
  release()
  await Promise.all([...taken, waiting])
})

test('sixty requests of one account that wait for a lock use four connections, and others are served meanwhile', async () => {
  await using app = await startApp()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  const { body: contact } = await shop.post('/contacts', { phone: '+15551234567' })
  await using lock = await holdLock(app, 'lists', shop.listId)
  const stuck = Array.from({ length: 60 }, () => shop.post(`/lists/${shop.listId}/contacts`, { contactId: contact.id }))
  await lock.untilWaiting(4)
  assert.equal((await other.post('/contacts', { email: 'a@example.com' })).status, 201)
  assert.equal((await other.get('/contacts?email=a@example.com')).status, 200)
  assert.equal(await lock.waiting(), 4, 'as many as one account may have')
  await lock.release()
  await Promise.all(stuck)
  assert.equal((await shop.get('/contacts?phoneNumber=15551234567')).status, 200)
})
