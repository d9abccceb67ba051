import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { assertFlat } from '../../helpers/flat-refusals.ts'
import { type Answer, startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { countTraces, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { assertRefused } from '../../helpers/refusals.ts'

const alias = '/send-custom-channel-message'
const contact = { email: 'ana@example.com', firstName: 'Ana' }

/** Each endpoint that supports the header, with a body that has a new effect every time, another body, and the effect. */
const endpoints = [
  { path: '/contacts', body: contact, other: { ...contact, firstName: 'Eva' }, status: 201, effect: 'contacts' },
  { path: sendPath, body: outgoing(), other: outgoing({ body: 'Ho' }), status: 200, effect: 'messages' },
] as const

type Asked = { body?: unknown; raw?: string | Buffer; idempotencyKey?: string | string[] }

type Asking = { app: TestApp; shop: TestAccount; ask: (path: string, asked: Asked) => Promise<Answer> }

/** Sends an Idempotency-Key with each request, `k` by default. */
async function startAsking(): Promise<Asking & AsyncDisposable> {
  const app = await startApp()
  const shop = await app.makeAccount()
  return { app, shop, ask: asker(app, shop), [Symbol.asyncDispose]: app[Symbol.asyncDispose] }
}

function asker(app: TestApp, shop: TestAccount): Asking['ask'] {
  return (path, { idempotencyKey = 'k', ...payload }) =>
    app.call('POST', path, { key: shop.apiKey, headers: { 'idempotency-key': idempotencyKey }, ...payload })
}

function assertRefusedAt(path: string, answer: Answer, { says, label }: { says: RegExp; label: string }): void {
  if (path === '/contacts') assertRefused(answer, 'INVALID_REQUEST', { says, label })
  else assertFlat(answer, 400, { says, label })
}

test('the same key and body get the first answer again, with its status, and nothing more is stored', async () => {
  await using world = await startAsking()
  const { app, ask } = world
  for (const { path, body, status, effect } of endpoints) {
    const first = await ask(path, { body })
    const traces = await countTraces(app)
    assert.equal(traces[effect], 1, path)
    for (const again of [await ask(path, { body }), await ask(path, { body })]) {
      assert.deepEqual([again.status, again.body], [status, first.body], path)
      assert.equal(first.status, status)
    }
    assert.deepEqual(await countTraces(app), traces)
  }
})

test('50 equal concurrent requests have one effect and equal answers', async () => {
  await using world = await startAsking()
  const { app, ask } = world
  for (const { path, body, status, effect } of endpoints) {
    const before = (await countTraces(app))[effect] ?? 0
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(path, { body })))
    for (const answer of answers) assert.deepEqual([answer.status, answer.body], [status, answers[0]?.body], path)
    assert.equal((await countTraces(app))[effect], before + 1, path)
  }
})

test('the same key with another body is refused, and the first answer stays', async () => {
  await using world = await startAsking()
  const { app, ask } = world
  for (const { path, body, other } of endpoints) {
    const first = await ask(path, { body })
    const traces = await countTraces(app)
    assertRefusedAt(path, await ask(path, { body: other }), { says: /Idempotency-Key.*another body/, label: path })
    assert.deepEqual((await ask(path, { body })).body, first.body)
    assert.deepEqual(await countTraces(app), traces)
  }
})

test('bodies are the same if their bytes are, not if their values are', async () => {
  await using world = await startAsking()
  const { app, ask } = world
  for (const { path, body } of endpoints) {
    const tight = JSON.stringify(body)
    const first = await ask(path, { raw: tight })
    const traces = await countTraces(app)
    for (const raw of [JSON.stringify(body, null, 1), ` ${tight}`, `${tight}\n`, tight.replace('"', '"\\u0061","')]) {
      const answer = await ask(path, { raw })
      assert.equal(answer.status, 400, `${raw} -> ${JSON.stringify(answer.body)}`)
    }
    assert.deepEqual((await ask(path, { raw: Buffer.from(tight) })).body, first.body)
    assert.deepEqual(await countTraces(app), traces)
  }
})

test('a key belongs to its account and its endpoint, and both paths for sending are one endpoint', async () => {
  await using world = await startAsking()
  const { app, ask } = world
  const askAsOther = asker(app, await app.makeAccount())
  // A body that both endpoints take.
  const body = { ...contact, ...outgoing() }
  const mine = [await ask('/contacts', { body }), await ask(sendPath, { body })]
  const others = [await askAsOther('/contacts', { body }), await askAsOther(sendPath, { body })]
  assert.deepEqual(
    [...mine, ...others].map(({ status }) => status),
    [201, 200, 201, 200],
  )
  assert.notEqual(mine[0]?.body.id, others[0]?.body.id)
  assert.notEqual(mine[1]?.body.messageId, others[1]?.body.messageId)

  assert.deepEqual((await ask(alias, { body })).body, mine[1]?.body)
  assertFlat(await ask(alias, { body: outgoing({ body: 'Ho' }) }), 400, { says: /another body/ })
  assertFlat(await askAsOther(alias, { body: outgoing() }), 400, { says: /another body/ })
  assert.deepEqual(await countTraces(app), {
    contacts: 4,
    conversations: 2,
    messages: 2,
    deliveries: 2,
    idempotencyKeys: 4,
  })
})

test('a refused request is not stored: its key can be used again', async () => {
  await using world = await startAsking()
  const { app, ask } = world
  const refused = [
    await ask('/contacts', { body: { phone: '12' } }),
    await ask('/contacts', { body: {} }),
    await ask('/contacts', { raw: '{' }),
    await ask(sendPath, { body: outgoing({ body: ' ' }) }),
    await ask(sendPath, { body: outgoing({ body: '€'.repeat(30_000) }) }),
    await ask(sendPath, { raw: 'x'.repeat(300_000) }),
    await app.call('POST', sendPath, { key: 'wrong', headers: { 'idempotency-key': 'k' }, body: outgoing() }),
  ]
  assert.deepEqual(
    refused.map(({ status }) => status),
    [400, 400, 400, 400, 400, 413, 401],
  )
  assert.deepEqual(await countTraces(app), {})
  for (const { path, body, status } of endpoints) assert.equal((await ask(path, { body })).status, status)
})

test('a request that failed with 500 is not stored either', async () => {
  await using world = await startAsking()
  const { app, ask } = world
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'x'; end $$`.execute(
    app.db,
  )
  await sql`create trigger refuse before insert on contacts execute function refuse()`.execute(app.db)
  for (const { path, body } of endpoints) assert.equal((await ask(path, { body })).status, 500)
  assert.deepEqual(await countTraces(app), {})
  await sql`drop trigger refuse on contacts`.execute(app.db)
  for (const { path, body, status } of endpoints) assert.equal((await ask(path, { body })).status, status)
})

test('a repeated request for a known contact gets 200 again, not 201', async () => {
  await using world = await startAsking()
  const body = { phone: '+15551234567' }
  const created = await world.shop.post('/contacts', body)
  const first = await world.ask('/contacts', { body })
  const again = await world.ask('/contacts', { body })
  for (const answer of [first, again]) assert.deepEqual([answer.status, answer.body], [200, created.body])
})

test('a key that is not 1 to 255 visible ASCII characters is refused', async () => {
  await using world = await startAsking()
  const { app, ask } = world
  const wrong = ['', ' ', 'a b', 'a\tb', 'é', 'kñ', '\u0080', 'k'.repeat(256), ['a', 'b'], ['k', 'k'], ['', 'k']]
  for (const { path, body } of endpoints) {
    for (const idempotencyKey of wrong) {
      const answer = await ask(path, { body, idempotencyKey })
      assertRefusedAt(path, answer, { says: /Idempotency-Key/, label: `${path} ${JSON.stringify(idempotencyKey)}` })
    }
  }
  assert.deepEqual(await countTraces(app), {})
  for (const { path, body, status } of endpoints) {
    for (const idempotencyKey of ['!', '~', '"quoted",\\', 'k'.repeat(255)]) {
      assert.equal((await ask(path, { body, idempotencyKey })).status, status, idempotencyKey)
    }
  }
})

test('keys are compared exactly, with case', async () => {
  await using world = await startAsking()
  const ids = []
  for (const idempotencyKey of ['k', 'K', 'kk', 'k.'])
    ids.push((await world.ask(sendPath, { body: outgoing(), idempotencyKey })).body)
  assert.equal(new Set(ids.map(({ messageId }) => messageId)).size, 4)
})

test('a key expires after 24 hours, and can then be used again', async () => {
  await using world = await startAsking()
  const { app, ask } = world
  for (const { path, body, other } of endpoints) {
    const first = await ask(path, { body })
    await age(app, '23 hours 59 minutes')
    assert.deepEqual((await ask(path, { body })).body, first.body, 'not yet')
    await age(app, '24 hours 1 minute')
    const second = await ask(path, { body: other })
    assert.equal(second.status, first.status)
    assert.notDeepEqual(second.body, first.body)
    assert.deepEqual((await ask(path, { body: other })).body, second.body)
  }
})

test('an expired key can be used again, however many older ones are not pruned yet', async () => {
  await using world = await startAsking()
  const { app, shop, ask } = world
  for (const { path, body, other, status } of endpoints) {
    await ask(path, { body })
    await sql`
      insert into idempotency_keys (account_id, endpoint, key, body_hash, status, answer, created_at)
      select ${shop.accountId}, 'send', ${path} || n, '', 200, '{}', now() - interval '3 days'
      from generate_series(1, 300) n
    `.execute(app.db)
    await age(app, '25 hours')
    const anew = await ask(path, { body: other })
    assert.equal(anew.status, status, `${path} -> ${JSON.stringify(anew.body)}`)
  }
})

async function age({ db }: TestApp, interval: string): Promise<void> {
  await sql`update idempotency_keys set created_at = now() - ${interval}::interval where key = 'k'`.execute(db)
}

test('without the header no request is deduplicated', async () => {
  await using world = await startAsking()
  const { app, shop } = world
  for (const { path, body, effect } of endpoints) {
    const before = (await countTraces(app))[effect] ?? 0
    await Promise.all(Array.from({ length: 5 }, () => shop.post(path, body)))
    assert.equal((await countTraces(app))[effect], before + 5, path)
  }
  assert.equal((await countTraces(app)).idempotencyKeys, undefined)
})

test('a second server on the same database gives the first answer too, to later and to concurrent requests', async () => {
  await using world = await startAsking()
  const { app, shop, ask } = world
  await using second = await startApp({}, app.database)
  const askSecond = asker(second, shop)
  for (const { path, body, status } of endpoints) {
    const first = await ask(path, { body })
    const again = await askSecond(path, { body })
    assert.deepEqual([again.status, again.body], [status, first.body])

    const traces = await countTraces(app)
    const copies = await Promise.all(
      [ask, askSecond, ask, askSecond].map((one) => one(path, { body, idempotencyKey: 'shared' })),
    )
    for (const copy of copies) assert.deepEqual([copy.status, copy.body], [status, copies[0]?.body])
    assert.equal((await countTraces(app)).idempotencyKeys, (traces.idempotencyKeys ?? 0) + 1)
  }
})
