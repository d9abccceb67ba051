import type { Message } from '@patchbay/contract/app/messages.ts'
import { type RawBuilder, sql } from 'kysely'
import type { MessageData } from '../../../journey/channels/kinds/kind.ts'
import type { ConversationEvent, ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import { isOnItsWay, nextAttempt, outgoingStatus } from '../../../journey/messages/status-store.ts'
import { shownName } from '../../../people/contacts/shown-name-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, BroadcastId, ContactId, MessageId } from '../../../platform/ids.ts'
import { userName } from '../conversations/row-store.ts'

export type ThreadMessage = {
  id: MessageId
  contactId: ContactId
  seq: string
  direction: 'incoming' | 'outgoing'
  author: 'contact' | 'bot' | 'person' | 'api'
  userId: string | null
  userName: string | null
  kind: 'text' | 'reaction'
  body: string
  channel: string
  createdAt: Date
  /** The status of the delivery, if the message is outgoing. */
  status: 'Waiting' | 'Sent' | 'Failed'
  attempts: number
  askedAttempts: number
  isSending: boolean
  sentAt: Date | null
  dueAt: Date | null
  category: string | null
  httpStatus: number | null
  detail: string | null
  /** The state of the file, if there is one. */
  fileState: NonNullable<Message['file']>['state'] | null
  contentType: string | null
  fileName: string | null
  sizeBytes: number | null
  details: StoredDetails | null
  overChannel: StoredParts | null
  broadcastId: BroadcastId | null
  broadcastName: string | null
}

/** What is known of a message besides its text; times are as JSON has them. */
export type StoredDetails = {
  providerAt: string | null
  editedBody: string | null
  editedAt: string | null
  removedAt: string | null
  data: Pick<MessageData, 'choice' | 'described' | 'place' | 'page' | 'language' | 'signed'>
  replyTo: string | null
  /** Null: what it answers is not here. */
  quoted: { messageId: MessageId; author: Author; text: string } | null
}

type Author = ThreadMessage['author']

/** The requests of a message over a built-in channel, together. */
type StoredParts = {
  doubtSince: string | null
  repeatedAt: string | null
  mayBeTwice: boolean
  doubtEndedBy: string | null
  deliveredAt: string | null
  readAt: string | null
  parts: number
  partsSent: number
  choices: { id: string; title: string }[]
}

/** Messages before the number `before`, the newest first. */
export async function readMessages(
  db: Db,
  { accountId, contactId }: ConversationRef,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<ThreadMessage[]> {
  const older = before === undefined ? sql`` : sql`and m.seq < ${before}`
  const page = sql`select m.* from messages m
      where m.account_id = ${accountId} and m.contact_id = ${contactId} ${older}
      order by m.seq desc limit ${limit}`
  return readShown(db, accountId, page)
}

export async function findMessage(
  db: Db,
  accountId: AccountId,
  messageId: MessageId,
): Promise<ThreadMessage | undefined> {
  const page = sql`select m.* from messages m where m.account_id = ${accountId} and m.id = ${messageId}`
  return (await readShown(db, accountId, page))[0]
}

/** The page is read first and by itself, so that everything else is looked up for its rows only, by index. */
async function readShown(db: Db, accountId: AccountId, page: RawBuilder<unknown>): Promise<ThreadMessage[]> {
  const { rows } = await sql<ThreadMessage>`
    with page as materialized (${page})
    select m.id, m.contact_id, m.seq, m.direction, m.author, m.user_id, ${userName('u')} as user_name, m.kind, m.body,
      coalesce(m.channel, 'custom') as channel, m.created_at,
      ${sql.raw(outgoingStatus('d'))} as status, coalesce(d.attempts, 0) as attempts,
      coalesce(d.asked_attempts, 0) as asked_attempts, ${sql.raw(isOnItsWay('d'))} as is_sending, d.sent_at,
      ${sql.raw(nextAttempt('d'))} as due_at,
      d.error_category as category, d.error_http_status as http_status, d.error_detail as detail,
      f.state as file_state, f.content_type, f.file_name, coalesce(b.size_bytes, f.size_bytes)::float8 as size_bytes,
      m.broadcast_id, t.name as broadcast_name, ${detailsOf(accountId)} as details, ${partsOf(accountId)} as over_channel
    from page m
    left join users u on u.account_id = ${accountId} and u.id = m.user_id
    left join deliveries d on d.account_id = ${accountId} and d.id = m.id
    left join attachments f on f.account_id = ${accountId} and f.message_id = m.id
    left join media b on b.account_id = ${accountId} and b.id = f.media_id
    left join broadcasts t on t.account_id = ${accountId} and t.id = m.broadcast_id
    left join message_details x on x.account_id = ${accountId} and x.message_id = m.id
    order by m.seq desc
  `.execute(db)
  return rows
}

/** So much of a message is shown where another one answers it. */
const quotedCharacters = 160

/**
 * Of the message `m` with the details `x`. What it answers is named as its provider names it: one of theirs is found by its
 * `messageSid`, one of ours by the request that brought it.
 */
function detailsOf(accountId: AccountId) {
  return sql`case when x.message_id is not null then json_build_object(
    'providerAt', x.provider_at, 'editedBody', x.edited_body, 'editedAt', x.edited_at, 'removedAt', x.removed_at, 'data', x.data,
    'replyTo', x.reply_to, 'quoted', (
      select json_build_object('messageId', o.id, 'author', o.author, 'text', case when y.removed_at is null
        then left(coalesce(y.edited_body, o.body), ${quotedCharacters}) else '' end)
      from messages o left join message_details y on y.account_id = ${accountId} and y.message_id = o.id
      where o.account_id = ${accountId} and o.contact_id = m.contact_id and o.id = coalesce((
        select i.id from messages i where i.account_id = ${accountId} and i.message_sid = m.channel || ':' || x.reply_to limit 1
      ), (
        select q.delivery_id from delivery_parts q
        where q.account_id = ${accountId} and q.channel_id = m.channel and q.provider_id = x.reply_to limit 1
      )) limit 1
    )
  ) end`
}

/** Of the delivery `d`. */
function partsOf(accountId: AccountId) {
  return sql`case when d.receiver_id like 'chn\\_%' then (
    select json_build_object(
      'doubtSince', case when d.sent_at is null then d.doubt_since end, 'repeatedAt', max(q.resent_at),
      'mayBeTwice', coalesce(bool_or(q.resent_at is not null and q.accepted_at is not null and q.doubt_ended_at is null), false),
      'doubtEndedBy', (
        select ${userName('w')} from users w where w.account_id = ${accountId} and w.id = max(q.doubt_ended_by)
      ),
      'deliveredAt', d.delivered_at, 'readAt', d.read_at,
      'parts', count(*), 'partsSent', count(q.accepted_at),
      'choices', coalesce((array_agg(q.content -> 'choices' order by q.n desc))[1], '[]')
    )
    from delivery_parts q where q.account_id = ${accountId} and q.delivery_id = d.id
  ) end`
}

export type ShownEvent = Pick<ConversationEvent, 'kind' | 'userId'> & {
  id: string
  seq: string
  userName: string | null
  toUserId: string | null
  toUserName: string | null
  until: Date | null
  at: Date
  other: { contactId: ContactId; name: string | null } | null
}

/** More events than anybody reads; a contact who opts out and in by every message makes one for each. */
const mostEvents = 500

/** What happened from one message on and before another, oldest first; without the two, from the first and to the last. */
export async function readEvents(
  db: Db,
  { accountId, contactId }: ConversationRef,
  { from, before }: { from: string | undefined; before: string | undefined },
): Promise<ShownEvent[]> {
  const { rows } = await sql<ShownEvent>`
    select e.id, e.seq, e.kind, e.user_id, ${userName('u')} as user_name, e.to_user_id, ${userName('t')} as to_user_name,
      e.until, e.at, case when e.kind = 'signed in' then ${otherOfBrowser(accountId)} end as other
    from conversation_events e left join users u on u.account_id = ${accountId} and u.id = e.user_id
    left join users t on t.account_id = ${accountId} and t.id = e.to_user_id
    where e.account_id = ${accountId} and e.contact_id = ${contactId}
      ${from === undefined ? sql`` : sql`and e.seq >= ${from}`} ${before === undefined ? sql`` : sql`and e.seq < ${before}`}
    order by e.at desc, e.id limit ${mostEvents}
  `.execute(db)
  return rows.reverse()
}

/**
 * Of the event `e` that somebody has signed in: the customer's contact where it is of the browser's, else that of the browser whose event
 * was written with it. Each browser remembers one customer, and a customer may have many.
 */
function otherOfBrowser(accountId: AccountId) {
  return sql`(
    select json_build_object('contactId', p.id, 'name', ${sql.raw(shownName('p'))}) from contacts p
    where p.account_id = ${accountId} and p.id = coalesce((
      select k.signed_in_as from contact_channels k
      where k.account_id = ${accountId} and k.contact_id = e.contact_id and k.signed_in_as is not null
      order by k.channel_id limit 1
    ), (
      select o.contact_id from contact_channels k join conversation_events o
        on o.account_id = ${accountId} and o.contact_id = k.contact_id and o.kind = 'signed in'
      where k.account_id = ${accountId} and k.signed_in_as = e.contact_id
      order by abs(extract(epoch from o.at - e.at)) limit 1
    ))
  )`
}

export async function hasConversation(db: Db, { accountId, contactId }: ConversationRef): Promise<boolean> {
  const found = await db
    .selectFrom('conversations')
    .select('contactId')
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .executeTakeFirst()
  return found !== undefined
}

/** The time before which messages were removed from the beginning of this conversation, if any were. */
export async function findRemovedBefore(db: Db, { accountId, contactId }: ConversationRef): Promise<Date | null> {
  const { rows } = await sql<{ removedBefore: Date }>`
    select r.removed_before from retention_marks r
    join conversations c on c.account_id = ${accountId} and c.contact_id = ${contactId}
    where r.account_id = ${accountId} and c.created_at < r.removed_before
  `.execute(db)
  return rows[0]?.removedBefore ?? null
}
