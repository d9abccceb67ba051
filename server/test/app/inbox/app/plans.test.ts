import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { countConversations } from '../../../../src/app/inbox/conversations/counts-store.ts'
import * as lists from '../../../../src/app/inbox/conversations/list-store.ts'
import { listChannel, listTagged } from '../../../../src/app/inbox/conversations/narrow-list-store.ts'
import { showConversation } from '../../../../src/app/inbox/conversations/show.ts'
import type { PageRequest, Position } from '../../../../src/app/inbox/conversations/viewer-store.ts'
import { showThread } from '../../../../src/app/inbox/thread/show-thread.ts'
import type { Db } from '../../../../src/platform/database/db.ts'
import type { ContactId } from '../../../../src/platform/ids.ts'
import { startApp, type TestAccount } from '../../../helpers/harness.ts'
import { readsOf, stopAutovacuum } from '../../../helpers/plans.ts'

const { listAll, listMine, listUnread, listWaiting, listFailed, listClosed, listSnoozed } = lists

const conversations = 2_000
const messagesOfEach = 5

/** Tables whose number of rows grows with the accounts and their messages. */
const large = [
  ...['contacts', 'conversations', 'conversation_reads', 'unread_conversations', 'messages', 'deliveries'],
  ...['attachments', 'turns', 'conversation_tags'],
]

/**
 * Of one table for one page: less than the open conversations after the middle, and enough for a page with all its messages, and for
 * those that are looked through for a channel.
 */
const mostRows = 600

/**
 * Half of them are unread, and one in ten waits or has a reply that failed. Two in seven are closed, one is put off, and two are
 * assigned to the user; all have a tag.
 */
async function fill(db: Db, { accountId, userId }: TestAccount, n: number): Promise<void> {
  const contact = sql`'con_' || lpad(to_hex(${n}::integer * 100000 + n), 32, '0')`
  const activeAt = sql`now() - n * interval '1 minute'`
  await sql`update users set unread_since = now() - interval '30 days' where id = ${userId}`.execute(db)
  await sql`insert into contacts (account_id, id, external_id)
    select ${accountId}, ${contact}, 'external-' || n from generate_series(1, ${conversations}::integer) as n`.execute(
    db,
  )
  await sql`insert into conversations
      (account_id, contact_id, last_seq, incoming_seq, active_at, active_step, waiting_since)
    select ${accountId}, ${contact}, ${messagesOfEach}, ${messagesOfEach}, ${activeAt}, activity_step(${activeAt}),
      case when n % 10 = 0 then ${activeAt} end
    from generate_series(1, ${conversations}::integer) as n`.execute(db)
  await sql`update conversations set assignee_id = case when hashtext(contact_id || 'a') % 7 in (2, 3) then ${userId} end,
      state = case when hashtext(contact_id || 's') % 7 in (1, 2) then 'closed' when hashtext(contact_id || 's') % 7 = 3 then 'snoozed' else 'open' end,
      snoozed_until = case when hashtext(contact_id || 's') % 7 = 3 then now() + interval '1 day' end
    where account_id = ${accountId}`.execute(db)
  await sql`insert into conversation_tags (account_id, contact_id, tag, tagged_at)
    select account_id, contact_id, 'refund', active_at from conversations where account_id = ${accountId}`.execute(db)
  await sql`insert into messages
      (account_id, id, contact_id, seq, direction, author, kind, status, body, message_sid, created_at)
    select ${accountId}, 'msg_' || ${n}::text || '-' || n || '-' || seq, ${contact}, seq, 'incoming', 'contact', 'text',
      'received', 'Hello', n || '-' || seq, ${activeAt}
    from generate_series(1, ${conversations}::integer) as n, generate_series(1, ${messagesOfEach}::integer) as seq
  `.execute(db)
  await sql`insert into deliveries (account_id, id, contact_id, outgoing_seq, payload, receiver_id, author, error_category)
    select account_id, id, contact_id, seq, '', 'reply', 'api', case when hashtext(contact_id) % 10 = 0 then 'timeout' end
    from messages where account_id = ${accountId}`.execute(db)
  await sql`insert into attachments (account_id, message_id, content_type, state)
    select account_id, id, 'image/png', 'unreachable' from messages where account_id = ${accountId}`.execute(db)
  await sql`insert into turns (account_id, contact_id, due_at, from_seq, last_seq)
    select account_id, contact_id, now(), 1, 1 from conversations where account_id = ${accountId}`.execute(db)
  await sql`insert into conversation_reads (account_id, contact_id, user_id, seq)
    select account_id, contact_id, ${userId}, case when hashtext(contact_id) % 2 = 0 then 1 else last_seq end
    from conversations where account_id = ${accountId}`.execute(db)
}

test('no request of the inbox reads a large table from end to end, nor many of its rows, on any page', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  const accounts = [await app.makeAccount(), await app.makeAccount(), await app.makeAccount(), await app.makeAccount()]
  for (const [n, account] of accounts.entries()) {
    await fill(app.db, account, n)
    await listUnread(app.db, account, { after: undefined, limit: 1 }) // the first time, all are compared with the marks
  }
  const [account] = accounts
  assert.ok(account)
  const { accountId, userId } = account
  const reader = { accountId, userId }
  const { rows } = await sql<Position>`
    select contact_id, (extract(epoch from active_at) * 1000000)::bigint as micros from conversations
    where account_id = ${accountId} order by active_at desc offset ${conversations / 4} limit 1
  `.execute(app.db)
  const [middle] = rows
  assert.ok(middle)
  const contactId: ContactId = middle.contactId
  const thread = { maxAttempts: 1 }
  const requests: Record<string, (db: Db) => Promise<unknown>> = {
    counts: (db) => countConversations(db, reader),
    conversation: (db) => showConversation(db, reader, contactId),
    thread: (db) => showThread({ db, ...thread }, { accountId, contactId }, {}),
    'older messages': (db) => showThread({ db, ...thread }, { accountId, contactId }, { before: '4' }),
  }
  const ofChannel = (db: Db, _: typeof reader, wanted: PageRequest) =>
    listChannel(db, reader, { ...wanted, channel: 'nowhere' })
  const tagged = (db: Db, _: typeof reader, wanted: PageRequest) => listTagged(db, reader, { ...wanted, tag: 'refund' })
  const all = { listAll, listMine, listUnread, listWaiting, listFailed, listClosed, listSnoozed, ofChannel, tagged }
  for (const [name, list] of Object.entries(all)) {
    requests[name] = (db) => list(db, reader, { after: undefined, limit: 51 })
    requests[`${name}, a later page`] = (db) => list(db, reader, { after: middle, limit: 51 })
  }
  for (const [name, work] of Object.entries(requests)) {
    const reads = await readsOf(app, work)
    assert.deepEqual(
      reads.filter(({ table, isWhole, rows: read }) => large.includes(table) && (isWhole || read > mostRows)),
      [],
      name,
    )
  }
})
