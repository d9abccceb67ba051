import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { showBalance } from '../../../src/business/credits/history.ts'
import { startAgency } from '../../helpers/credits.ts'
import { startApp } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'

test('without a key, two equal grants are two grants', async () => {
  await using world = await startAgency()
  const { email } = await world.makeSub()
  assert.equal((await world.ask({ email, amount: 5 })).body.new_balance, 5)
  assert.equal((await world.ask({ email, amount: 5 })).body.new_balance, 10)
})

test('with a key it is one grant with one answer: twice, 50 times at once, after other grants and for ever', async () => {
  await using world = await startAgency()
  const { email, accountId } = await world.makeSub()
  const body = { email, amount: 5 }
  const answers = await Promise.all(Array.from({ length: 50 }, () => world.ask(body, { once: 'k' })))
  const expected = { success: true, sub_account_id: accountId, credits_added: 5, new_balance: 5 }
  for (const answer of answers) assert.deepEqual([answer.status, answer.body], [200, expected])
  await world.ask({ email, amount: 1 })
  await sql`update grant_keys set created_at = now() - interval '10 years'`.execute(world.db)
  await world.app.call('POST', '/contacts', {
    key: world.agency.apiKey,
    headers: { 'idempotency-key': 'another' },
    body: { email: 'ana@example.com' },
  })
  assert.deepEqual((await world.ask(body, { once: 'k' })).body, expected)
  assert.equal((await showBalance(world.db, accountId)).balance, 6)
})

test('a key is valid across servers, later and concurrent ones', async () => {
  await using world = await startAgency()
  const { email, accountId } = await world.makeSub()
  const first = await world.ask({ email, amount: 5 }, { once: 'k' })
  {
    await using later = await startApp({ RATE_LIMIT_PER_MINUTE: '0' }, world.app.database)
    assert.deepEqual((await world.ask({ email, amount: 5 }, { once: 'k', app: later })).body, first.body)
  }
  await using beside = await startApp({ RATE_LIMIT_PER_MINUTE: '0' }, world.app.database)
  for (let round = 0; round < 10; round += 1) {
    const twins = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        world.ask({ email, amount: 1 }, { once: `twin ${round}`.replace(' ', '-'), app: n % 2 ? beside : world.app }),
      ),
    )
    for (const twin of twins) assert.deepEqual([twin.status, twin.body], [200, twins[0]?.body])
  }
  assert.equal((await showBalance(world.db, accountId)).balance, 15)
})

test('another body under the same key is refused, whatever differs, and the first answer stays', async () => {
  await using world = await startAgency()
  const { email } = await world.makeSub()
  const first = await world.ask({ email, amount: 5 }, { once: 'k' })
  const others = [
    { email, amount: 6 },
    { amount: 5, email },
    { email, amount: 5, x: 1 },
    { email: 'no@one.com', amount: 5 },
  ]
  for (const other of others) {
    assertRefused(await world.ask(other, { once: 'k' }), 'INVALID_REQUEST', { says: /Idempotency-Key.*another body/ })
  }
  const both = await Promise.all([1, 2].map((amount) => world.ask({ email, amount }, { once: 'race' })))
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400])
  assert.deepEqual((await world.ask({ email, amount: 5 }, { once: 'k' })).body, first.body)
})

test("another agency's equal key is its own, and another endpoint's too", async () => {
  await using world = await startAgency()
  const rival = await world.app.makeAccount({ kind: 'agency' })
  const [mine, theirs] = [await world.makeSub(), await world.makeSub(rival.accountId)]
  assert.equal((await world.ask({ email: mine.email, amount: 5 }, { once: 'k' })).body.new_balance, 5)
  const other = await world.ask({ email: theirs.email, amount: 7 }, { once: 'k', key: rival.apiKey })
  assert.deepEqual([other.status, other.body.new_balance], [200, 7])
  const headers = { 'idempotency-key': 'k', 'x-api-key': world.agency.apiKey }
  assert.equal((await world.app.call('POST', '/contacts', { headers, body: { email: 'a@example.com' } })).status, 201)
})

test('a refused grant does not use up its key', async () => {
  await using world = await startAgency()
  const { email } = await world.makeSub()
  const refused = [
    await world.ask({ email, amount: 0 }, { once: 'k' }),
    await world.ask({ email: 'nobody@example.com', amount: 1 }, { once: 'k' }),
    await world.ask({ email, amount: 1 }, { once: 'k', key: 'wrong-but-long-enough' }),
    await world.ask('{', { once: 'k' }),
  ]
  assert.deepEqual(
    refused.map(({ status }) => status),
    [400, 404, 401, 400],
  )
  assert.deepEqual(await world.db.selectFrom('grantKeys').selectAll().execute(), [])
  assert.equal((await world.ask({ email, amount: 3 }, { once: 'k' })).body.new_balance, 3)
})

test('a key that is not one word of 1 to 255 visible characters is refused', async () => {
  await using world = await startAgency()
  const { email } = await world.makeSub()
  for (const once of ['', ' ', 'a b', 'é', 'k'.repeat(256)]) {
    assertRefused(await world.ask({ email, amount: 1 }, { once }), 'INVALID_REQUEST', { says: /Idempotency-Key/ })
  }
  assert.equal((await world.ask({ email, amount: 1 }, { once: 'k'.repeat(255) })).status, 200)
})
