import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { countUndelivered } from '../../../src/journey/delivery/claim/store.ts'
import { resendFailed, resendOne } from '../../../src/journey/delivery/resend/resend.ts'
import { listAttempts } from '../../../src/journey/messages/attempt-log.ts'
import { listMessages } from '../../../src/journey/messages/store.ts'
import { type Db, openDb } from '../../../src/platform/database/db.ts'
import { migrate, underMigrationLock } from '../../../src/platform/database-setup/migrate.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { saveUrl, sendOne, startDelivering, untilMessage } from '../../helpers/deliveries.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

test('a message that arrived stays Sent, whatever later attempts return', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '1000' })
  const answers = [200, 500, 503, 204]
  await using receiver = await startReceiver((_request, response) => response.writeHead(answers.shift() ?? 0).end())
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await sendOne(shop)
  const { id, sentAt } = await untilMessage(app, shop, ({ status }) => status === 'Sent')
  for (const attempt of [2, 3, 4]) {
    await resendOne(app.db, shop.accountId, id)
    const again = await untilMessage(app, shop, ({ attempts }) => attempts === attempt)
    assert.deepEqual([again.status, again.sentAt, again.error, again.nextAttemptAt], ['Sent', sentAt, null, null])
    assert.equal(await countUndelivered(app.db, { accountId: shop.accountId, receiverId: 'reply' }), 0)
    assert.equal(await resendFailed(app.db, shop.accountId, new Date(Date.now() - 60_000).toISOString()), 0)
  }
  const attempts = await listAttempts(app.db, shop.accountId, id)
  assert.deepEqual(
    attempts.map(({ n, category, httpStatus }) => [n, category, httpStatus]),
    [
      [4, null, null],
      [3, 'http_error', 503],
      [2, 'http_error', 500],
      [1, null, null],
    ],
  )
  assert.deepEqual(
    attempts.map(({ at }) => at.getTime()),
    attempts.map(({ at }) => at.getTime()).sort((one, other) => other - one),
  )
})

test('the outcome of an attempt whose lease another process has taken over is not stored', async () => {
  await using app = await startDelivering()
  const released = Promise.withResolvers<void>()
  let isHeld = false
  await using receiver = await startReceiver(async (_request, response) => {
    if (isHeld) await released.promise
    response.writeHead(200).end()
  })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  await sendOne(shop, { fromId: 'first' })
  await untilMessage(app, shop, ({ status }) => status === 'Sent') // so the receiver is known to be healthy
  isHeld = true
  const id = await sendOne(shop, { fromId: 'second' })
  await until(() => receiver.requests.length === 2, 'not attempted')
  const leaseToken = randomUUID()
  await app.db.updateTable('deliveries').set({ leaseToken }).where('id', '=', id).execute()
  isHeld = false
  released.resolve()
  const later = await sendOne(shop, { fromId: 'third' })
  await untilMessage(app, shop, (message) => message.id === later && message.status === 'Sent')
  await sleep(100) // longer than outcomes are gathered
  const row = app.db.selectFrom('deliveries').select(['leaseToken', 'sentAt', 'attempts']).where('id', '=', id)
  assert.deepEqual(await row.executeTakeFirstOrThrow(), { leaseToken, sentAt: null, attempts: 0 })
})

test('resending a message that arrived makes one attempt, even when it fails', async () => {
  await using app = await startDelivering()
  const answers = [200]
  await using receiver = await startReceiver((_request, response) => response.writeHead(answers.shift() ?? 500).end())
  const shop = await app.makeAccount()
  await saveUrl(app, shop, receiver.url)
  const id = await sendOne(shop)
  await untilMessage(app, shop, ({ status }) => status === 'Sent')
  await resendOne(app.db, shop.accountId, id)
  await untilMessage(app, shop, ({ attempts }) => attempts >= 2)
  await sleep(1_500) // the next attempt would be due after 20 ms
  assert.equal(receiver.requests.length, 2)
})

test('the outcome of a message that arrives at the first attempt is stored in its delivery alone', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  await saveUrl(app, shop, `${receiver.url}hook?token=1`)
  for (const body of ['one', 'two']) {
    const id = await sendOne(shop, { body })
    const sent = await untilMessage(app, shop, ({ status }) => status === 'Sent')
    const [attempt] = await listAttempts(app.db, shop.accountId, sent.id)
    assert.deepEqual([sent.id, attempt?.n, attempt?.url, attempt?.category], [id, 1, `${receiver.url}hook`, null])
    assert.deepEqual(attempt?.at, sent.sentAt)
    assert.ok(attempt && attempt.durationMs >= 0)
  }
  const { rows } = await sql`
    select (select count(*) from delivery_attempts)::integer as logged, m.xmin = c.xmin as is_as_it_was_kept
    from messages m join conversations c using (account_id, contact_id) where m.seq = c.last_seq
  `.execute(app.db)
  assert.deepEqual(rows, [{ logged: 0, isAsItWasKept: true }])
})

const folder = resolve(import.meta.dirname, '../../../migrations')

/** Migrates an empty database to the schema before a given migration. */
async function migrateUntil(db: Db, name: string): Promise<void> {
  const files = (await readdir(folder)).sort()
  const earlier = files.slice(
    0,
    files.findIndex((file) => file.endsWith(`_${name}.sql`)),
  )
  assert.ok(earlier.length > 0)
  await sql`create table schema_migrations (version integer primary key, name text not null,
    applied_at timestamptz not null default now())`.execute(db)
  for (const file of earlier) {
    await sql.raw(await readFile(join(folder, file), 'utf8')).execute(db)
    await sql`insert into schema_migrations values (${Number(file.slice(0, 4))}, ${file})`.execute(db)
  }
}

test('the migration to outcomes in deliveries keeps the status and attempts of older messages', async () => {
  await using database = await makeDatabase({ empty: true })
  const db = openDb(database.address, pino({ enabled: false }), 2)
  await migrateUntil(db, 'outcomes')
  await sql
    .raw(`
    insert into messages (account_id, id, contact_id, seq, outgoing_seq, direction, author, kind, status, body, sent_at)
    values ('acc_1', 'msg_0', 'con_1', 1, null, 'incoming', 'contact', 'text', 'delivered', 'in', null),
      ('acc_1', 'msg_1', 'con_1', 2, 1, 'outgoing', 'bot', 'text', 'Sent', 'sent', '2026-01-01'),
      ('acc_1', 'msg_2', 'con_1', 3, 2, 'outgoing', 'bot', 'text', 'Failed', 'failed', null),
      ('acc_1', 'msg_3', 'con_1', 4, 3, 'outgoing', 'bot', 'text', 'Waiting', 'waiting', null);
    insert into deliveries (account_id, id, kind, contact_id, outgoing_seq, author, payload, due_at, attempts, error_category)
    values ('acc_1', 'msg_1', 'reply', 'con_1', 1, 'bot', '{}', null, 2, null),
      ('acc_1', 'msg_2', 'reply', 'con_1', 2, 'bot', '{}', null, 1, 'timeout'),
      ('acc_1', 'msg_3', 'reply', 'con_1', 3, 'bot', '{}', now(), 0, null);
    insert into delivery_attempts (account_id, delivery_id, n, url, duration_ms, error_category)
    values ('acc_1', 'msg_1', 1, 'https://example.com/', 9, 'timeout'), ('acc_1', 'msg_1', 2, 'https://example.com/', 8, null)
  `)
    .execute(db)

  await underMigrationLock(db, migrate)
  const listed = await listMessages(db, 'acc_1', { contactId: undefined, limit: 10 })
  assert.deepEqual(
    listed.map(({ id, status, sentAt, error }) => [id, status, sentAt?.getFullYear() ?? null, error?.category ?? null]),
    [
      ['msg_3', 'Waiting', null, null],
      ['msg_2', 'Failed', null, 'timeout'],
      ['msg_1', 'Sent', 2026, null],
      ['msg_0', 'delivered', null, null],
    ],
  )
  const attempts = await listAttempts(db, 'acc_1', 'msg_1')
  assert.deepEqual(
    attempts.map(({ n, durationMs, category }) => [n, durationMs, category]),
    [
      [2, 8, null],
      [1, 9, 'timeout'],
    ],
  )
  await db.destroy()
})
