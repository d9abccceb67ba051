import { type RawBuilder, sql } from 'kysely'
import { isLeftInDoubt, isUndelivered } from '../../../journey/messages/status-store.ts'
import { shownName } from '../../../people/contacts/shown-name-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { hasSqlState } from '../../../platform/database/errors.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import { isUnread, micros, readMe, type Viewer } from './viewer-store.ts'

/** A conversation as the list shows it. */
export type ConversationRow = {
  contactId: ContactId
  name: string | null
  phone: string | null
  externalId: string | null
  isSimulated: boolean
  channel: string
  lastAt: Date
  author: 'contact' | 'bot' | 'person' | 'api'
  userName: string | null
  kind: 'text' | 'reaction'
  text: string
  hasFile: boolean
  isTakenBack: boolean
  unread: number
  /** Messages up to this one count as read. */
  readSeq: string
  waitingSince: Date | null
  waitingReason: string | null
  hasFailed: boolean
  isInDoubt: boolean
  botIsWriting: boolean
  state: 'open' | 'snoozed' | 'closed'
  snoozedUntil: Date | null
  /** A user who was removed is nobody. */
  assigneeId: string | null
  assigneeName: string | null
  /** The times that the list is ordered by, in microseconds: a `Date` has only milliseconds. */
  activeMicros: string
  waitingMicros: string | null
  taggedMicros: string | null
}

/** Rows of `conversations` to show, and their order. */
export type Page = {
  rows: RawBuilder<unknown>
  order: RawBuilder<unknown>
  /** When it was tagged, where that is the order. */
  taggedAt?: RawBuilder<unknown>
}

/** The length that is shown of a message, so that a page of long ones stays small. */
const previewCharacters = 160

/** Of the newest messages, this many are looked at to count those that are unread. */
const mostScanned = 200
const mostUnread = 100

/**
 * The rows of a page. The page is read first and by itself, so that everything else is looked up for its rows only, by
 * index. Each is a subquery with a limit: for a join or `exists`, PostgreSQL may read all of a table into memory.
 */
export async function readRows(db: Db, { accountId, userId }: Viewer, page: Page): Promise<ConversationRow[]> {
  const { rows } = await sql<ConversationRow>`
    with me as materialized (${readMe({ accountId, userId })}), page as materialized (${page.rows})
    select c.contact_id, ${sql.raw(shownName('p'))} as name, p.phone, p.external_id,
      p.is_simulated, coalesce(c.channel, 'custom') as channel, c.active_at as last_at,
      l.author, ${userName('u')} as user_name, l.kind, x.removed_at is not null as is_taken_back,
      case when x.removed_at is null then left(coalesce(x.edited_body, l.body), ${previewCharacters}) else '' end as text,
      x.removed_at is null and (
        select true from attachments f where f.account_id = ${accountId} and f.message_id = l.id limit 1
      ) is not null as has_file,
      least(coalesce(n.unread, 0), ${mostUnread})::integer as unread,
      coalesce(r.seq, n.first_seq - 1, c.last_seq) as read_seq,
      c.waiting_since, c.waiting_reason,
      (
        select true from deliveries d
        where d.account_id = ${accountId} and d.contact_id = c.contact_id and ${sql.raw(isUndelivered('d'))} limit 1
      ) is not null as has_failed,
      (
        select true from deliveries d
        where d.account_id = ${accountId} and d.contact_id = c.contact_id and ${sql.raw(isUndelivered('d'))}
          and not (${sql.raw(isLeftInDoubt('d'))}) limit 1
      ) is null and coalesce((
        select true from deliveries d
        where d.account_id = ${accountId} and d.contact_id = c.contact_id and ${sql.raw(isLeftInDoubt('d'))} limit 1
      ), ${isLastInDoubt(accountId)}, false) as is_in_doubt,
      coalesce((
        select t.leased_until > now() from turns t where t.account_id = ${accountId} and t.contact_id = c.contact_id
      ), false) as bot_is_writing,
      c.state, c.snoozed_until, o.id as assignee_id, ${userName('o')} as assignee_name,
      ${micros(sql`c.active_at`)} as active_micros, ${micros(sql`c.waiting_since`)} as waiting_micros,
      ${page.taggedAt ? micros(page.taggedAt) : sql`null`} as tagged_micros
    from page c cross join me
    cross join lateral (
      select p.* from contacts p where p.account_id = ${accountId} and p.id = c.contact_id limit 1
    ) as p
    cross join lateral (
      select m.id, m.author, m.kind, m.body, m.user_id from messages m
      where m.account_id = ${accountId} and m.contact_id = c.contact_id and m.seq = ${shownSeq(accountId)}
      limit 1
    ) as l
    left join lateral (
      select x.edited_body, x.removed_at from message_details x
      where x.account_id = ${accountId} and x.message_id = l.id limit 1
    ) as x on true
    left join users u on u.account_id = ${accountId} and u.id = l.user_id
    left join users o on o.account_id = ${accountId} and o.id = c.assignee_id and o.email is not null
    left join lateral (
      select r.seq from conversation_reads r
      where r.account_id = ${accountId} and r.contact_id = c.contact_id and r.user_id = ${userId} limit 1
    ) as r on true
    left join lateral (
      select count(*) as unread, min(m.seq) as first_seq from (
        select m.seq, m.direction, m.created_at from messages m
        where m.account_id = ${accountId} and m.contact_id = c.contact_id
          and m.seq > coalesce(r.seq, 0) and m.seq <= c.incoming_seq
        order by m.seq desc limit ${mostScanned}
      ) as m
      where m.direction = 'incoming' and (r.seq is not null or m.created_at > me.unread_since)
    ) as n on ${isUnread({ accountId, userId })}
    order by ${page.order}
  `.execute(db)
  return rows
}

/**
 * The message that a row shows: the last one, but where the contact waits for a person what the contact said last, because
 * what the bot said after it is the same everywhere. Both are read by the key of messages, at most one of each.
 */
const shownSeq = (accountId: AccountId) => sql`coalesce((
        select w.seq from messages w
        where w.account_id = ${accountId} and w.contact_id = c.contact_id and w.seq = c.incoming_seq
          and c.waiting_since is not null limit 1
      ), (
        select e.seq from messages e
        where e.account_id = ${accountId} and e.contact_id = c.contact_id order by e.seq desc limit 1
      ))`

/** Of the last message of `c`, if it leaves over a built-in channel: whether nobody knows that it arrived, or that it did once. */
const isLastInDoubt = (accountId: AccountId) => sql`(
        select d.sent_at is null and d.doubt_since is not null or (
          select true from delivery_parts q
          where q.account_id = ${accountId} and q.delivery_id = d.id and q.resent_at is not null and q.accepted_at is not null
            and q.doubt_ended_at is null
          limit 1
        ) is not null
        from deliveries d
        where d.account_id = ${accountId} and d.receiver_id like 'chn\\_%' and d.id = (
          select e.id from messages e
          where e.account_id = ${accountId} and e.contact_id = c.contact_id and e.seq = c.last_seq limit 1
        )
        limit 1
      )`

/** The rows that a statement returns; none when it writes to the conversation of a contact who is being erased. */
export async function rowsUnlessErased<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row[]> {
  try {
    return (await statement.execute(db)).rows
  } catch (error) {
    if (hasSqlState(error, '23503')) return []
    throw error
  }
}

/** The e-mail address up to the @ while no name was given. Null when nobody is known. */
export const userName = (user: string) =>
  sql<string | null>`coalesce(${sql.ref(`${user}.name`)}, split_part(${sql.ref(`${user}.email`)}, '@', 1))`
