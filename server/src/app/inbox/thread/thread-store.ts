import type { Message } from '@patchbay/contract/app/messages.ts'
import { type RawBuilder, sql } from 'kysely'
import type { ConversationEvent, ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import { isOnItsWay, nextAttempt, outgoingStatus } from '../../../journey/messages/status-store.ts'
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
  sizeBytes: number | null
  broadcastId: BroadcastId | null
  broadcastName: string | null
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
      f.state as file_state, f.content_type, b.size_bytes, m.broadcast_id, t.name as broadcast_name
    from page m
    left join users u on u.account_id = ${accountId} and u.id = m.user_id
    left join deliveries d on d.account_id = ${accountId} and d.id = m.id
    left join attachments f on f.account_id = ${accountId} and f.message_id = m.id
    left join media b on b.account_id = ${accountId} and b.id = f.media_id
    left join broadcasts t on t.account_id = ${accountId} and t.id = m.broadcast_id
    order by m.seq desc
  `.execute(db)
  return rows
}

export type ShownEvent = Pick<ConversationEvent, 'kind' | 'userId'> & {
  id: string
  seq: string
  userName: string | null
  toUserId: string | null
  toUserName: string | null
  until: Date | null
  at: Date
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
      e.until, e.at
    from conversation_events e left join users u on u.account_id = ${accountId} and u.id = e.user_id
    left join users t on t.account_id = ${accountId} and t.id = e.to_user_id
    where e.account_id = ${accountId} and e.contact_id = ${contactId}
      ${from === undefined ? sql`` : sql`and e.seq >= ${from}`} ${before === undefined ? sql`` : sql`and e.seq < ${before}`}
    order by e.at desc, e.id limit ${mostEvents}
  `.execute(db)
  return rows.reverse()
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
