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

export type DueMessage = {
  messageId: MessageId | null
  contactId: ContactId
  seq: string
  body: string | null
  /** The conversation has more messages that are due. */
  isCut: boolean
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

/** `bytes`: how much text is read at most, and one message more. */
type DueQuery = { contactIds: ContactId[]; messagesOfEach: number; bytes: number }

/**
 * Messages of these contacts that are not in the search, and for each of their conversations a row without a message that
 * says how far it was read. Reading a conversation's last number and its messages in one statement misses none: both were committed
 * together, and a message with a smaller number before that.
 */
export async function readDueMessages(tx: Tx, accountId: AccountId, wanted: DueQuery): Promise<DueMessage[]> {
  const { rows } = await sql<DueMessage>`
    with due as materialized (
      select c.contact_id, coalesce(k.seq, 0) as after_seq, c.last_seq,
        least(c.last_seq, coalesce(k.seq, 0) + ${wanted.messagesOfEach}) as to_seq
      from conversations c left join search_marks k on k.account_id = c.account_id and k.contact_id = c.contact_id
      where c.account_id = ${accountId} and c.contact_id = any (${wanted.contactIds}::text[])
        and c.last_seq > coalesce(k.seq, 0)
    ), message as materialized (
      -- The length of a text is known without reading it.
      select m.id, m.contact_id, m.seq, m.body,
        sum(octet_length(m.body)) over (order by m.contact_id, m.seq) - octet_length(m.body) < ${wanted.bytes} as fits
      from due d join messages m on m.account_id = ${accountId} and m.contact_id = d.contact_id
        and m.seq > d.after_seq and m.seq <= d.to_seq and m.kind = 'text'
    ), mark as (
      select d.contact_id, d.last_seq, coalesce(min(m.seq) filter (where not m.fits) - 1, d.to_seq) as to_seq
      from due d left join message m on m.contact_id = d.contact_id
      group by d.contact_id, d.last_seq, d.to_seq
    )
    select id as message_id, contact_id, seq, body, false as is_cut from message where fits
    union all
    select null, contact_id, to_seq, null, to_seq < last_seq from mark
  `.execute(tx)
  return rows
}

export async function moveMarks(
  tx: Tx,
  accountId: AccountId,
  marks: { contactId: ContactId; seq: string }[],
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
