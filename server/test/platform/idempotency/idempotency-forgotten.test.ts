import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { secretKey, startApp } from '../../helpers/harness.ts'
import { countTraces, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { until } from '../../helpers/until.ts'

async function startAsking() {
  const app = await startApp()
  const shop = await app.makeAccount()
  const ask = (path: string, { body, idempotencyKey }: { body: unknown; idempotencyKey: string }) =>
    app.call('POST', path, { key: shop.apiKey, headers: { 'idempotency-key': idempotencyKey }, body })
  const erase = (contactId: ContactId) =>
    eraseContact({ db: app.db, secretKey }, { accountId: shop.accountId, contactId })
  return { app, shop, ask, erase, [Symbol.asyncDispose]: app[Symbol.asyncDispose] }
}

test('keys older than 24 hours are pruned, also when no request comes', async () => {
  await using world = await startAsking()
  const { app, shop, ask } = world
  const body = { email: 'ana@example.com' }
  await ask('/contacts', { body, idempotencyKey: 'k' })
  await ask('/contacts', { body, idempotencyKey: 'young' })
  await sql`
    insert into idempotency_keys (account_id, endpoint, key, body_hash, status, answer, created_at)
    select ${shop.accountId}, 'send', 'old ' || n, '', 200, '{}', now() - interval '3 days'
    from generate_series(1, 5000) n
  `.execute(app.db)
  await sql`update idempotency_keys set created_at = now() - interval '24 hours 1 minute' where key = 'k'`.execute(
    app.db,
  )
  await using _worker = await startApp({ ROLE: 'worker' }, app.database) // prunes when it starts, and then periodically
  await until(async () => (await countTraces(app)).idempotencyKeys === 1, 'old keys are still there')
  const kept = await app.db.selectFrom('idempotencyKeys').select('key').execute()
  assert.deepEqual(kept, [{ key: 'young' }])
})

test('the stored answer is deleted when the contact in it is erased, and a message is still not sent twice', async () => {
  await using world = await startAsking()
  const { app, ask, erase } = world
  const body = { phone: '+15551234567', email: 'ana@example.com', firstName: 'Ana' }
  const made = await ask('/contacts', { body, idempotencyKey: 'made' })
  const known = await ask('/contacts', { body, idempotencyKey: 'known' })
  assert.deepEqual([made.status, known.status, known.body.id], [201, 200, made.body.id])
  const sent = await ask(sendPath, { body: outgoing({ body: 'Dear Ana' }), idempotencyKey: 'sent' })
  await erase(made.body.id)
  await erase(sent.body.contactId)

  const left = JSON.stringify(await app.db.selectFrom('idempotencyKeys').selectAll().execute())
  for (const word of ['Ana', 'ana@example.com', '15551234567', 'made', 'known']) assert.ok(!left.includes(word), word)
  assert.deepEqual(
    (await ask(sendPath, { body: outgoing({ body: 'Dear Ana' }), idempotencyKey: 'sent' })).body,
    sent.body,
  )
  assert.equal((await countTraces(app)).messages, undefined, 'it was sent before, and is not again')
  const anew = await ask('/contacts', { body, idempotencyKey: 'made' })
  assert.equal(anew.status, 201)
  assert.notEqual(anew.body.id, made.body.id)
})

test('a contact that is erased while requests for it are answered is in no stored answer', async () => {
  await using world = await startAsking()
  const { app, shop, ask, erase } = world
  for (let round = 0; round < 10; round += 1) {
    const body = { phone: '+15551234567', firstName: 'Ana' }
    const { body: known } = await shop.post('/contacts', body)
    const asking = Array.from({ length: 8 }, (_, n) => ask('/contacts', { body, idempotencyKey: `${round}.${n}` }))
    await erase(known.id)
    for (const { status } of await Promise.all(asking)) assert.ok(status === 200 || status === 201)
    const answers = await app.db.selectFrom('idempotencyKeys').select('answer').execute()
    assert.ok(answers.every(({ answer }) => !answer?.includes(known.id)))
  }
})
