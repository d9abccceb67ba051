import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { addWaiting, moveMarks, readDueThreads } from '../../../src/app/reports/count/message-store.ts'
import { countReports } from '../../../src/app/reports/count-reports.ts'
import { lockAccount } from '../../../src/app/reports/sums/account-store.ts'
import { moveMarks as moveSearchMarks, readDueMessages, tryToLock } from '../../../src/app/search/due-store.ts'
import { indexNewMessages } from '../../../src/app/search/index-messages.ts'
import type { Tx } from '../../../src/platform/database/db.ts'
import type { AccountId, ContactId } from '../../../src/platform/ids.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { readCounted, recount } from '../../helpers/report-recount.ts'

/** Conversations with so many messages each, none of which is in the search or in the reports. */
async function addBacklog(
  { db }: TestApp,
  accountId: AccountId,
  { conversations, messages }: { conversations: number; messages: number },
): Promise<ContactId[]> {
  const all = sql`generate_series(1, ${sql.lit(conversations)}) as n`
  const contactId = sql`'con_' || md5(n::text)`
  await sql`
    insert into contacts (account_id, id, external_id) select ${accountId}, ${contactId}, 'sender ' || n from ${all}
  `.execute(db)
  await sql`
    insert into conversations (account_id, contact_id, channel, last_seq)
    select ${accountId}, ${contactId}, 'web', ${sql.lit(messages)} from ${all}
  `.execute(db)
  const { rows } = await sql<{ contactId: ContactId }>`
    with kept as (
      insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel)
      select ${accountId}, 'msg_' || replace(gen_random_uuid()::text, '-', ''), ${contactId}, seq, 'incoming', 'contact',
        'text', 'received', 'refund ' || n, 'web'
      from ${all}, generate_series(1, ${sql.lit(messages)}) as seq
    )
    select contact_id from conversations where account_id = ${accountId}
    union select ${contactId} from ${all} order by 1
  `.execute(db)
  return rows.map((row) => row.contactId)
}

type Reads = Record<string, { scans: number; rows: number }>

/** How often this connection has read all of a table lately, and how many rows it has found by an index. */
async function readsOf(tx: Tx): Promise<Reads> {
  const { rows } = await sql<{ name: string; scans: number; rows: number }>`
    select relname as name, seq_scan::integer as scans, coalesce(idx_tup_fetch, 0)::integer as rows
    from pg_stat_xact_user_tables
    where relname in ('conversations', 'messages', 'search_marks', 'report_marks', 'report_waiting')
  `.execute(tx)
  return Object.fromEntries(rows.map(({ name, ...reads }) => [name, reads]))
}

/** Of each table a batch of 500 conversations reads some rows for each of them, and not all that there are. */
function assertByKeys(before: Reads, after: Reads): void {
  for (const [name, { scans, rows }] of Object.entries(after)) {
    assert.equal(scans, before[name]?.scans, name)
    assert.ok(rows - (before[name]?.rows ?? 0) <= 1_500, `${rows} of ${name}`)
  }
}

async function indexBatch(tx: Tx, accountId: AccountId, contactIds: ContactId[]): Promise<void> {
  assert.ok(await tryToLock(tx))
  const wanted = { contactIds, messagesOfEach: 50, messages: 2_000, bytes: 1_048_576 }
  const { conversations, messages } = await readDueMessages(tx, accountId, wanted)
  assert.deepEqual([conversations.length, messages.length], [500, 500])
  const marks = conversations.map(({ contactId, toSeq }) => ({ contactId, seq: toSeq }))
  await moveSearchMarks(tx, accountId, marks)
}

async function countBatch(tx: Tx, accountId: AccountId, contactIds: ContactId[]): Promise<void> {
  assert.ok(await lockAccount(tx, accountId))
  const { threads } = await readDueThreads(tx, accountId, { contactIds, messagesOfEach: 200, messages: 5_000 })
  assert.equal(threads.length, 500)
  const marks = threads.map(({ contactId, toSeq }) => ({ contactId, seq: toSeq, channels: undefined }))
  await moveMarks(tx, accountId, marks)
  const waiting = { quarter: 0, channel: 1, messages: 1, firstSeq: 2, firstAtMs: 0, lastSeq: 2 }
  const rows = threads.map(({ contactId }) => ({ contactId, ...waiting }))
  await addWaiting(tx, accountId, rows)
}

for (const statistics of ['without statistics', 'with statistics']) {
  test(`a batch of the search or of the reports reads the rows of its conversations alone, ${statistics}`, async () => {
    await using app = await sharedApp()
    const { accountId } = await app.makeAccount()
    const contactIds = await addBacklog(app, accountId, { conversations: 3_000, messages: 2 })
    await indexNewMessages(app.db)
    await countReports(app.db)
    if (statistics === 'with statistics') await sql`analyze`.execute(app.db)
    await sql`update search_marks set seq = 1`.execute(app.db)
    await sql`update report_marks set seq = 1`.execute(app.db)
    for (const batch of [indexBatch, countBatch]) {
      await app.db.transaction().execute(async (tx) => {
        const before = await readsOf(tx)
        await batch(tx, accountId, contactIds.slice(0, 500))
        assertByKeys(before, await readsOf(tx))
      })
    }
  })
}

test('of conversations with more messages than one batch takes, all are counted in their turn, each once', async () => {
  await using app = await sharedApp()
  const { accountId } = await app.makeAccount()
  await addBacklog(app, accountId, { conversations: 30, messages: 250 })
  await countReports(app.db)
  assert.deepEqual(await readCounted(app.db, accountId), await recount(app.db, accountId, 'UTC'))
  const { rows } = await sql<{ n: number }>`select sum(messages_in)::integer as n from report_quarters`.execute(app.db)
  assert.equal(rows[0]?.n, 7_500)
})
