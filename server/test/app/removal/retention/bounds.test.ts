import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { findDueMessages, noteSids, readOldMessages } from '../../../../src/app/removal/retention/message-store.ts'
import { countReports } from '../../../../src/app/reports/count-reports.ts'
import { readKeepDays } from '../../../../src/platform/config/keep-days.ts'
import type { AccountId } from '../../../../src/platform/ids.ts'
import { contactOf, write } from '../../../helpers/bots.ts'
import { sharedApp, startApp, type TestApp } from '../../../helpers/harness.ts'
import { incoming, incomingPath } from '../../../helpers/message-requests.ts'
import { readsOf, stopAutovacuum } from '../../../helpers/plans.ts'
import { makeOlder, removeCounted, removeOld } from '../../../helpers/retention.ts'

const keep = { messages: 30 }

/** Messages that came an hour apart, the newest an hour ago, in conversations of ten each, with what belongs to them. */
async function fill({ db }: TestApp, accountId: AccountId, messages: number): Promise<void> {
  const name = sql.lit(`con_${accountId.slice(4, 12)}_`)
  const n = sql`generate_series(1, ${messages}) as n`
  const id = sql`'msg_' || lpad(to_hex((extract(epoch from now()) * 1000 - n * 3600000::bigint)::bigint), 12, '0') || lpad(n::text, 20, '0')`
  const seq = sql`${messages} - n + 1`
  await sql`
    insert into contacts (account_id, id, external_id) select ${accountId}, ${name} || n, 'f' || n from generate_series(0, ${messages / 10}) as n
  `.execute(db)
  await sql`
    insert into conversations (account_id, contact_id, last_seq, incoming_seq, active_at, active_step, created_at)
    select ${accountId}, ${name} || n / 10, max(${seq}), max(${seq}), now() - min(n) * interval '1 hour',
      activity_step(now() - min(n) * interval '1 hour'), now() - max(n) * interval '1 hour'
    from ${n} group by n / 10
  `.execute(db)
  await sql`
    insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, message_sid, created_at)
    select ${accountId}, ${id}, ${name} || n / 10, ${seq}, 'incoming', 'contact', 'text', 'received', 'Hello', 'SM' || n,
      now() - n * interval '1 hour'
    from ${n}
  `.execute(db)
  await sql`
    insert into answers (account_id, contact_id, from_seq, to_seq, outcome, reason, created_at)
    select ${accountId}, ${name} || n / 10, ${seq}, ${seq}, 'silent', 'x', now() - n * interval '1 hour' from ${n}
  `.execute(db)
  await sql`insert into removed_sids select ${accountId}, sha256(n::text::bytea), 'msg_' || n, now() from ${n}`.execute(
    db,
  )
}

const large = new Set(['messages', 'answers', 'conversations', 'removed_sids', 'contacts'])

test('to look for what is over reads no table from end to end, and few rows while nothing is', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  for (const account of [await app.makeAccount(), await app.makeAccount()]) await fill(app, account.accountId, 3_000)
  await countReports(app.db)
  const idle = await readsOf(app, (db) => removeCounted(db, { messages: 365 }))
  assert.deepEqual(
    idle.filter(({ table, isWhole }) => isWhole && large.has(table)),
    [],
  )
  const rows = idle.filter(({ table }) => large.has(table)).reduce((sum, read) => sum + read.rows, 0)
  assert.ok(rows <= 20, `${rows} rows were read, and nothing was over`)

  const busy = await readsOf(app, (db) => removeCounted(db, { messages: 100 }))
  assert.deepEqual(
    busy.filter(({ table, isWhole }) => isWhole && large.has(table)),
    [],
  )
})

test('a noted messageSid is found by its key, also while the statistics of the table are older than the notes', async () => {
  await using app = await startApp()
  const { accountId } = await app.makeAccount()
  await sql`vacuum (analyze) removed_sids`.execute(app.db) // empty
  await fill(app, accountId, 1_000)
  await sql`
    insert into removed_sids select ${accountId}, sha256(n::text::bytea), 'msg_' || n, now() from generate_series(1001, 30000) as n
  `.execute(app.db)
  await countReports(app.db)
  const due = (await findDueMessages(app.db, { ...readKeepDays(() => undefined), sids: 91, messages: 30 }))[0]
  assert.ok(due)
  await app.db.transaction().execute((tx) => noteSids(tx, due, { after: '', limit: 1_000 }))
  const { ready, fetched } = await app.db.transaction().execute(async (tx) => {
    const old = await readOldMessages(tx, due, { after: '', limit: 200, notedSeconds: 0 })
    const { rows } = await sql<{ fetched: number }>`
      select idx_tup_fetch::integer as fetched from pg_stat_xact_user_tables where relname = 'removed_sids'
    `.execute(tx)
    return { ready: old.filter(({ isReady }) => isReady).length, fetched: rows[0]?.fetched }
  })
  assert.deepEqual({ ready, fetched }, { ready: 200, fetched: 200 })
})

test('all that is over is removed in batches, account by account in turn, and what is within its time stays', async () => {
  await using app = await startApp()
  const accounts = [await app.makeAccount(), await app.makeAccount()]
  for (const { accountId } of accounts) await fill(app, accountId, 1_500)
  // No statement may remove more than this.
  await sql`
    create function refuse_many() returns trigger language plpgsql as $$ begin
      if (select count(*) from gone) > 200 then raise exception 'too many at once'; end if;
      return null;
    end $$
  `.execute(app.db)
  await sql`
    create trigger few after delete on messages referencing old table as gone for each statement execute function refuse_many()
  `.execute(app.db)
  await removeOld(app.db, keep)
  await removeOld(app.db, keep)
  const { rows } = await sql<{ table: string; n: number; oldest: number }>`
    select 'messages' as table, count(*)::integer as n, extract(epoch from now() - min(created_at))::integer / 3600 as oldest from messages
    union all select 'answers', count(*)::integer, extract(epoch from now() - min(created_at))::integer / 3600 from answers
    union all select 'empty', count(*)::integer, 0 from conversations where state = 'empty'
  `.execute(app.db)
  const kept = 30 * 24 - 1
  assert.ok(
    rows.slice(0, 2).every(({ n, oldest }) => n >= 2 * kept && n <= 2 * kept + 2 && oldest <= 720),
    JSON.stringify(rows),
  )
  assert.equal(rows[2]?.n, 2 * (150 - 71))
})

test('a copy is not stored while its message is being removed', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await app.db.updateTable('accounts').set({ botActive: false }).execute()
  await sql`insert into retention_marks values (${shop.accountId}, '-infinity')`.execute(app.db)
  const sids = Array.from({ length: 300 }, (_, n) => `sid ${n}`)
  const send = (sid: string, n: number) => shop.post(incomingPath, incoming({ messageSid: sid, fromId: `f${n % 40}` }))
  await Promise.all(sids.map(send))
  await makeOlder(app.db, 31)
  const { rows: before } = await sql<{ sid: string; id: string }>`select message_sid as sid, id from messages`.execute(
    app.db,
  )
  const idOf = new Map(before.map(({ sid, id }) => [sid, id]))
  await removeOld(app.db, keep, 1)
  await sleep(1_100)
  const removing = removeOld(app.db, keep, 1)
  const answers = await Promise.all(sids.map(send))
  await removing
  assert.deepEqual(
    answers.map(({ body }) => body.messageId),
    sids.map((sid) => idOf.get(sid)),
  )
  assert.deepEqual(await app.db.selectFrom('messages').select('id').execute(), [])
})

test('files are removed before their messages where they are kept for a shorter time, and once nobody has them', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const file = { mediaContentType: 'text/plain', mediaUrl: 'data:text/plain;base64,SGk=' }
  const [first, second] = [await write(shop, 'One', file), await write(shop, 'Two', file)]
  await makeOlder(app.db, 8, [first])
  const states = async () =>
    (await app.db.selectFrom('attachments').select('state').orderBy('messageId').execute()).map(({ state }) => state)
  const count = async () => (await app.db.selectFrom('mediaChunks').select('n').execute()).length
  await removeOld(app.db, { attachments: 7 })
  assert.deepEqual([await states(), await count()], [['removed', 'stored'], 1])
  await makeOlder(app.db, 8, [second])
  await removeOld(app.db, { attachments: 7 })
  assert.deepEqual([await states(), await count()], [['removed', 'removed'], 0])
  assert.equal((await app.db.selectFrom('messages').select('id').execute()).length, 2)
})

test('an answer that is owed to nothing but removed messages is not given', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await write(shop, 'Hello?')
  await write(shop, 'Old', { fromId: 'ben' })
  await makeOlder(app.db, 31)
  await write(shop, 'New', { fromId: 'ben' })
  await removeOld(app.db, keep)
  await removeOld(app.db, keep)
  const turns = await app.db.selectFrom('turns').select('contactId').execute()
  assert.deepEqual(
    turns.map(({ contactId }) => contactId),
    [await contactOf(app, 'ben')],
  )
})
