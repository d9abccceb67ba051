import type { OutgoingStatus } from '@patchbay/contract/messages.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../platform/db.ts'
import type { AccountId, ContactId, MessageId, UserId } from '../platform/ids.ts'

export type Place = { seq: string; outgoingSeq: string; channel: string }

/**
 * Takes the next place in a conversation, making the conversation if there is none. The row stays locked until the
 * transaction ends, so that messages are numbered in the order they commit. A label or campaign that is given
 * replaces the one before.
 */
export async function takePlace(
  tx: Tx,
  { accountId, contactId }: { accountId: AccountId; contactId: ContactId },
  given: { channel?: string | undefined; campaignId?: string | undefined },
): Promise<Place> {
  return tx
    .insertInto('conversations')
    .values({
      accountId,
      contactId,
      channel: given.channel ?? null,
      campaignId: given.campaignId ?? null,
      lastSeq: '1',
      lastOutgoingSeq: '1',
    })
    .onConflict((conflict) =>
      conflict.columns(['accountId', 'contactId']).doUpdateSet({
        lastSeq: sql`conversations.last_seq + 1`,
        lastOutgoingSeq: sql`conversations.last_outgoing_seq + 1`,
        channel: sql`coalesce(excluded.channel, conversations.channel)`,
        campaignId: sql`coalesce(excluded.campaign_id, conversations.campaign_id)`,
      }),
    )
    .returning([
      'lastSeq as seq',
      'lastOutgoingSeq as outgoingSeq',
      sql<string>`coalesce(conversations.channel, 'custom')`.as('channel'),
    ])
    .executeTakeFirstOrThrow()
}

export type OutgoingRow = {
  accountId: AccountId
  id: MessageId
  contactId: ContactId
  author: 'bot' | 'person' | 'api'
  status: OutgoingStatus
  body: string
  channel: string
  campaignId: string | null
  seq: string
  outgoingSeq: string
}

export async function insertOutgoing(tx: Tx, message: OutgoingRow): Promise<void> {
  await tx
    .insertInto('messages')
    .values({ ...message, direction: 'outgoing', kind: 'text' })
    .execute()
}

/** The account holder, who stands in every event whoever wrote the message. */
export async function findOwner(tx: Tx, accountId: AccountId): Promise<UserId> {
  const { id } = await tx
    .selectFrom('users')
    .select('id')
    .where('accountId', '=', accountId)
    .where('isOwner', '=', true)
    .executeTakeFirstOrThrow()
  return id
}

export type DeliveryError = { category: string; httpStatus: number | null; detail: string | null }

type NewStatus = { status: OutgoingStatus; error: DeliveryError | undefined; after: OutgoingStatus[] }

/** Sets the status if it may follow the present one, and the details beside it; tells whether it did. */
export async function setOutcome(
  tx: Tx,
  { accountId, messageId }: { accountId: AccountId; messageId: MessageId },
  { status, error, after }: NewStatus,
): Promise<boolean> {
  const changed = await tx
    .updateTable('messages')
    .set({ status, sentAt: status === 'Sent' ? sql`now()` : null })
    .where('accountId', '=', accountId)
    .where('id', '=', messageId)
    .where('direction', '=', 'outgoing')
    .where('status', 'in', after)
    .returning('id')
    .executeTakeFirst()
  if (!changed) return false
  await tx
    .updateTable('deliveries')
    .set({
      errorCategory: error?.category ?? null,
      errorHttpStatus: error?.httpStatus ?? null,
      errorDetail: error?.detail ?? null,
    })
    .where('accountId', '=', accountId)
    .where('messageId', '=', messageId)
    .execute()
  return true
}

export type ListedMessage = {
  id: MessageId
  contactId: ContactId
  direction: 'incoming' | 'outgoing'
  author: 'contact' | 'bot' | 'person' | 'api'
  kind: 'text' | 'reaction'
  body: string
  status: string
  attempts: number
  error: DeliveryError | null
  nextAttemptAt: Date | null
  channel: string
  createdAt: Date
  sentAt: Date | null
}

export type Wanted = { contactId: ContactId | undefined; limit: number }

/** Newest first: of one conversation by its sequence, of the whole account by id, which sorts by time. */
export async function listMessages(
  db: Db,
  accountId: AccountId,
  { contactId, limit }: Wanted,
): Promise<ListedMessage[]> {
  const base = db
    .selectFrom('messages as m')
    .leftJoin('deliveries as d', (join) =>
      join.onRef('d.accountId', '=', 'm.accountId').onRef('d.messageId', '=', 'm.id'),
    )
    .select([
      'm.id',
      'm.contactId',
      'm.direction',
      'm.author',
      'm.kind',
      'm.body',
      'm.status',
      'm.createdAt',
      'm.sentAt',
    ])
    .select([
      sql<string>`coalesce(m.channel, 'custom')`.as('channel'),
      sql<number>`coalesce(d.attempts, 0)`.as('attempts'),
    ])
    .select(['d.errorCategory', 'd.errorHttpStatus', 'd.errorDetail', 'd.dueAt'])
    .where('m.accountId', '=', accountId)
    .limit(limit)
  const rows = await (contactId === undefined
    ? base.orderBy('m.id', 'desc')
    : base.where('m.contactId', '=', contactId).orderBy('m.seq', 'desc')
  ).execute()
  return rows.map(({ errorCategory, errorHttpStatus, errorDetail, dueAt, createdAt, sentAt, channel, ...message }) => ({
    ...message,
    error:
      errorCategory === null ? null : { category: errorCategory, httpStatus: errorHttpStatus, detail: errorDetail },
    nextAttemptAt: message.status === 'Sent' ? null : dueAt,
    channel,
    createdAt,
    sentAt,
  }))
}
