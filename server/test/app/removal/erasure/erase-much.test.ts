import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eraseContact } from '../../../../src/app/removal/erasure/erase-contact.ts'
import { deleteAttachments } from '../../../../src/app/removal/erasure/erasure-store.ts'
import { startErasing } from '../../../../src/app/removal/erasure/stage.ts'
import { deleteUnusedMedia } from '../../../../src/journey/media/unused-store.ts'
import type { Db } from '../../../../src/platform/database/db.ts'
import type { AccountId, ContactId } from '../../../../src/platform/ids.ts'
import { contactOf, write } from '../../../helpers/bots.ts'
import { startDelivering } from '../../../helpers/deliveries.ts'
import { secretKey, sharedApp } from '../../../helpers/harness.ts'
import { silentLog } from '../../../helpers/knowledge.ts'
import { countTraces } from '../../../helpers/message-requests.ts'
import { until } from '../../../helpers/until.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

/** Inserts messages of a contact as if they had been sent, numbered from 1,000,000. */
async function fill(db: Db, { accountId, contactId }: Ref, { count, files }: { count: number; files: number }) {
  const name = sql.lit(`msg_${contactId}_`)
  const numbers = sql`generate_series(1000000, ${1_000_000 + count - 1}::integer) as n`
  await sql`
    insert into messages (account_id, id, contact_id, seq, outgoing_seq, direction, author, kind, body)
    select ${accountId}, ${name} || n, ${contactId}, n, n, 'outgoing', 'api', 'text', 'Hello' from ${numbers}
  `.execute(db)
  await sql`
    insert into deliveries (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, due_at)
    select ${accountId}, ${name} || n, 'reply', ${contactId}, n, 'api', '{}', null from ${numbers}
  `.execute(db)
  await sql`
    insert into media (account_id, id, content_type, size_bytes)
    select ${accountId}, ${name} || n, 'text/plain', 1 from ${numbers} where n < ${1_000_000 + files}
  `.execute(db)
  await sql`
    insert into attachments (account_id, message_id, content_type, state, media_id)
    select ${accountId}, ${name} || n, 'text/plain', 'stored', ${name} || n from ${numbers} where n < ${1_000_000 + files}
  `.execute(db)
  await sql`analyze messages, deliveries, media, attachments`.execute(db)
}

async function startShop() {
  const app = await sharedApp()
  const account = await app.makeAccount()
  await app.db.updateTable('accounts').set({ botActive: false }).execute()
  const makeContact = async (fromId: string): Promise<Ref> => {
    await write(account, 'Hello', { fromId })
    return { accountId: account.accountId, contactId: await contactOf(app, fromId) }
  }
  return { app, makeContact, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test('the check whether a file is still used does not scan the attachments of others', async () => {
  await using shop = await startShop()
  const { app, makeContact } = shop
  await fill(app.db, await makeContact('ben'), { count: 20_000, files: 20_000 })
  const ana = await makeContact('ana')
  await fill(app.db, ana, { count: 50, files: 50 })
  const ids = Array.from({ length: 50 }, (_, n) => `msg_${ana.contactId}_${1_000_000 + n}`)
  const read = await app.db.transaction().execute(async (tx) => {
    await deleteUnusedMedia(tx, ana.accountId, await deleteAttachments(tx, ana.accountId, ids))
    const { rows } = await sql<{ whole: number; single: number }>`
      select coalesce(seq_scan, 0)::integer as whole, coalesce(idx_tup_fetch, 0)::integer as single
      from pg_stat_xact_user_tables where relname = 'attachments'
    `.execute(tx)
    return rows[0]
  })
  assert.equal(read?.whole, 0, 'a sequential scan')
  assert.ok(read && read.single <= 200, `${read?.single} of its rows were read`)
  const { count } = await app.db
    .selectFrom('media')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  assert.equal(Number(count), 20_000)
})

test('a contact with very many messages is erased completely, by statements of bounded size', async () => {
  await using shop = await startShop()
  const { app, makeContact } = shop
  const ana = await makeContact('ana')
  await fill(app.db, ana, { count: 5_000, files: 300 })
  // No statement may delete more than this.
  await sql`
    create function few() returns trigger language plpgsql as $$ begin
      if (select count(*) from gone) > 500 then raise exception 'too many at once'; end if;
      return null;
    end $$
  `.execute(app.db)
  for (const table of ['messages', 'deliveries', 'attachments', 'media']) {
    await sql`
      create trigger few after delete on ${sql.table(table)} referencing old table as gone execute function few()
    `.execute(app.db)
  }
  assert.deepEqual(await eraseContact({ db: app.db, secretKey }, ana), { erased: true, messages: 5_001 })
  assert.deepEqual(await countTraces(app), {})
})

test('an interrupted erasure is finished by a worker, or by calling it again', async () => {
  await using shop = await startShop()
  const { app, makeContact } = shop
  const erased = [await makeContact('ana'), await makeContact('ben')]
  for (const ref of erased) await fill(app.db, ref, { count: 1_000, files: 10 })
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin
      if exists (select from gone where seq > 1000500) then raise exception 'cut off'; end if;
      return null;
    end $$
  `.execute(app.db)
  await sql`
    create trigger refuse after delete on messages referencing old table as gone execute function refuse()
  `.execute(app.db)
  for (const ref of erased) await assert.rejects(eraseContact({ db: app.db, secretKey }, ref), /cut off/)
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, 0)
  assert.ok(((await countTraces(app)).messages ?? 0) > 900)

  await sql`drop trigger refuse on messages`.execute(app.db)
  const [ana, ben] = erased
  assert.ok(ana && ben)
  assert.deepEqual(await eraseContact({ db: app.db, secretKey }, ana), { erased: true, messages: 1_001 })
  await assert.rejects(eraseContact({ db: app.db, secretKey }, ana), /no contact/)
  await app.db.updateTable('erasures').set({ leasedUntil: sql`now() - interval '1 second'` }).execute()
  await using _worker = await startDelivering({}, app) // claims at once when it starts
  await until(async () => Object.keys(await countTraces(app)).length === 0, 'the rest was never erased')
  assert.deepEqual(await app.db.selectFrom('erasures').selectAll().execute(), [])
})

test('erasures of one account that a crash left are finished one after the other, without a pause between them', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  await sql`
    insert into erasures (account_id, contact_id, leased_until)
    select ${accountId}, 'con_' || n, now() - interval '1 second' from generate_series(1, 5) as n
  `.execute(app.db)
  const stage = startErasing(app.db, silentLog)
  await using _ = { [Symbol.asyncDispose]: stage.stop }
  // A poll finishes one, and the next comes after 15 s.
  await until(
    async () => (await app.db.selectFrom('erasures').select('contactId').execute()).length === 0,
    'some are left',
  )
})
