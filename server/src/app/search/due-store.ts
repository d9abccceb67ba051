import { sql } from 'kysely'
import { activeSince, earliestFirst } from '../../journey/messages/activity-store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../../platform/ids.ts'

/**
 * Only one transaction at a time adds to the search or removes from it. So words of a contact that is being erased are
 * either added before they are removed, or read when the conversation and its mark are gone.
 */
const lockKey = sql`hashtextextended('message search', 0)`

/** Returns false when another process is at it. */
export async function tryToLock(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(${lockKey}) as is_ours
  `.execute(tx)
  return rows[0]?.isOurs ?? false
}

/** Waits for the others. */
export async function lockSearch(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx)
}

/**
 * The time before which no open transaction began. A conversation's time of activity is the beginning of the transaction
 * that wrote the message, so whoever commits later than this look has a later time. A minute is left for the clock, and
 * for a transaction that has begun and is not listed yet.
 */
export async function readHorizon(db: Db, marginSeconds = 60): Promise<string> {
  const { rows } = await sql<{ horizon: string }>`
    select (least(now(), min(xact_start)) - ${marginSeconds} * interval '1 s')::text as horizon
    from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
  `.execute(db)
  return rows[0]?.horizon ?? '-infinity'
}

/** All messages of conversations without activity since then are in the search. */
const searchedTo = sql`coalesce((select searched_to from installation), '-infinity')`

export type DueAccount = { accountId: AccountId; oldest: string }

/**
 * Accounts with messages that are not in the search, each with the earliest activity of such a conversation. The index of
 * the activity begins with the state of a conversation: each state is read by itself, in its order.
 */
export async function findDueAccounts(db: Db): Promise<DueAccount[]> {
  const { rows } = await sql<DueAccount>`
    select a.id as account_id, d.active_at::text as oldest
    from accounts a cross join lateral (
      select c.active_at from unnest(array['open', 'snoozed', 'closed']) as s (state) cross join lateral (
        select c.active_at
        from conversations c left join search_marks k on k.account_id = c.account_id and k.contact_id = c.contact_id
        where c.account_id = a.id and c.state = s.state and c.last_seq > coalesce(k.seq, 0)
          and ${activeSince(searchedTo)}
        order by ${earliestFirst} limit 1
      ) as c
      order by c.active_at limit 1
    ) as d
  `.execute(db)
  return rows
}

/** From now on only conversations with activity since this minute are compared. */
export async function moveSearchedTo(db: Db, time: string): Promise<void> {
  await sql`
    update installation set searched_to = date_trunc('minute', ${time}::timestamptz)
    where searched_to < date_trunc('minute', ${time}::timestamptz)
  `.execute(db)
}

/**
 * Conversations with messages that are not in the search, those with the earliest activity first. One look at a mark for
 * each that was active lately: PostgreSQL, which does not know how few they are, would join them with the marks of all accounts.
 */
export async function findDueContacts(db: Db, accountId: AccountId, limit: number): Promise<ContactId[]> {
  const { rows } = await sql<{ contactId: ContactId }>`
    select c.contact_id from unnest(array['open', 'snoozed', 'closed']) as s (state) cross join lateral (
      select c.contact_id, c.active_at
      from conversations c
      where c.account_id = ${accountId} and c.state = s.state
        and ${activeSince(searchedTo)}
        and c.last_seq > coalesce((
          select k.seq from search_marks k where k.account_id = ${accountId} and k.contact_id = c.contact_id
        ), 0)
      order by ${earliestFirst} limit ${limit}
    ) as c
    order by c.active_at limit ${limit}
  `.execute(db)
  return rows.map(({ contactId }) => contactId)
}

/** A conversation with messages that are not in the search. Not `isRead`: others had so many that it has to wait. */
export type DueConversation = { contactId: ContactId; toSeq: number; lastSeq: number; isRead: boolean }

/** A message of one. Without a body: it did not fit. */
export type DueMessage = { messageId: MessageId; contactId: ContactId; seq: number; body: string | null }

/** How much is read at most; `bytes` of text, and one message more. */
type DueQuery = { contactIds: ContactId[]; messagesOfEach: number; messages: number; bytes: number }

/**
 * Messages of these contacts that are not in the search, and their conversations, up to which number of each it reads. Reading a
 * conversation's last number and its messages in one statement misses none: both were committed together, and a message with
 * a smaller number before that.
 *
 * From key to key, by laterals with a limit. For some hundreds of keys PostgreSQL would rather read all marks of all accounts,
 * because it believes that most of a table is on disk; and while it has no statistics it believes that an account has few
 * rows. Batch after batch, that was most of the work.
 */
export async function readDueMessages(
  tx: Tx,
  accountId: AccountId,
  { contactIds, messagesOfEach, messages, bytes }: DueQuery,
): Promise<{ conversations: DueConversation[]; messages: DueMessage[] }> {
  const { rows } = await sql<(DueConversation & { messageId: null }) | DueMessage>`
    with due as materialized (
      select *, sum(to_seq - after_seq) over (order by contact_id) - (to_seq - after_seq) < ${messages} as is_read
      from (
        select c.contact_id, c.last_seq, coalesce(k.seq, 0) as after_seq,
          least(c.last_seq, coalesce(k.seq, 0) + ${messagesOfEach}) as to_seq
        from unnest(${contactIds}::text[]) as g (contact_id) cross join lateral (
          select c.contact_id, c.last_seq from conversations c
          where c.account_id = ${accountId} and c.contact_id = g.contact_id limit 1
        ) as c left join lateral (
          select k.seq from search_marks k where k.account_id = ${accountId} and k.contact_id = g.contact_id limit 1
        ) as k on true
        where c.last_seq > coalesce(k.seq, 0)
      ) as c
    )
    select contact_id, null as message_id, null as seq, null as body, to_seq::float8 as to_seq,
      last_seq::float8 as last_seq, is_read
    from due
    union all
    select contact_id, id, seq::float8, case when fits then body end, null, null, null
    from (
      -- The length of a text is known without reading it.
      select m.contact_id, m.id, m.seq, m.body,
        sum(octet_length(m.body)) over (order by m.contact_id, m.seq) - octet_length(m.body) < ${bytes} as fits
      from due d cross join lateral (
        select * from messages m
        where m.account_id = ${accountId} and m.contact_id = d.contact_id and m.seq > d.after_seq and m.seq <= d.to_seq
          and m.kind = 'text'
        order by m.seq limit ${messagesOfEach}
      ) as m
      where d.is_read
    ) as m
  `.execute(tx)
  return {
    conversations: rows.filter((row) => row.messageId === null),
    messages: rows.filter((row) => row.messageId !== null),
  }
}

export async function moveMarks(
  tx: Tx,
  accountId: AccountId,
  marks: { contactId: ContactId; seq: number }[],
): Promise<void> {
  await sql`
    insert into search_marks (account_id, contact_id, seq)
    select ${accountId}, contact_id, seq
    from unnest(${marks.map(({ contactId }) => contactId)}::text[], ${marks.map(({ seq }) => seq)}::bigint[]) as k (contact_id, seq)
    order by contact_id
    on conflict (account_id, contact_id) do update set seq = excluded.seq
  `.execute(tx)
}

export type Backfill = { accountId: AccountId; beforeId: string }

export async function readBackfills(db: Db): Promise<Backfill[]> {
  const { rows } = await sql<Backfill>`
    select account_id, before_id from search_backfills order by account_id
  `.execute(db)
  return rows
}

export type OldMessage = { messageId: MessageId; contactId: ContactId; body: string | null }

/**
 * The next older messages, and whether there are more. Without a body: it is no text, it came after the backfill began, or
 * its contact is erased.
 */
export async function readOldMessages(
  tx: Tx,
  { accountId, beforeId }: Backfill,
  { limit, bytes }: { limit: number; bytes: number },
): Promise<{ rows: OldMessage[]; hasMore: boolean }> {
  const { rows } = await sql<OldMessage & { read: number }>`
    select m.id as message_id, m.contact_id, case when m.kind = 'text' and m.seq <= k.backfill_seq then m.body end as body,
      m.read
    from (
      select *, count(*) over ()::integer as read,
        sum(octet_length(body)) over (order by id desc) - octet_length(body) < ${bytes} as fits
      from (
        select * from messages where account_id = ${accountId} and id < ${beforeId} order by id desc limit ${limit}
      ) as m
    ) as m
    left join search_marks k on k.account_id = ${accountId} and k.contact_id = m.contact_id
    where m.fits
    order by m.id desc
  `.execute(tx)
  const read = rows[0]?.read ?? 0
  return { rows, hasMore: read === limit || rows.length < read }
}

/** The cursor of a backfill; undefined when it is done. */
export async function moveBackfill(tx: Tx, accountId: AccountId, beforeId: string | undefined): Promise<void> {
  if (beforeId === undefined) await sql`delete from search_backfills where account_id = ${accountId}`.execute(tx)
  else await sql`update search_backfills set before_id = ${beforeId} where account_id = ${accountId}`.execute(tx)
}
