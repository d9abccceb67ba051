import { sql } from 'kysely'
import type { Receiver } from '../../../outbox/receivers.ts'
import { findChannels, type ShownChannel } from '../../../people/contacts/channel-store.ts'
import { shownName } from '../../../people/contacts/shown-name-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { MessageId } from '../../../platform/ids.ts'
import { isOnItsWay, nextAttempt, outgoingStatus } from '../../messages/status-store.ts'
import type { DeliveryError } from '../../messages/store.ts'

export type ListedDelivery = {
  id: MessageId
  contactId: string
  contactName: string | null
  channel: ShownChannel
  author: 'bot' | 'person' | 'api'
  text: string
  status: 'Waiting' | 'Sent' | 'Failed'
  attempts: number
  askedAttempts: number
  isSending: boolean
  fault: DeliveryError | null
  createdAt: Date
  sentAt: Date | null
  lastAttemptAt: Date | null
  nextAttemptAt: Date | null
}

type Row = Omit<ListedDelivery, 'channel' | 'fault' | 'nextAttemptAt'> & {
  label: string
  category: string | null
  httpStatus: number | null
  detail: string | null
  dueAt: Date | null
}

/** The length of a text that a row of the log can show. */
const textCharacters = 160

/** These messages to a receiver with their contacts, in the order given; those that are gone are left out. */
export async function readDeliveries(
  db: Db,
  { accountId, receiverId }: Receiver,
  ids: string[],
): Promise<ListedDelivery[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Row>`
    select d.id, d.contact_id, d.author, d.attempts, d.asked_attempts, d.sent_at, d.last_attempt_at,
      ${sql.raw(nextAttempt('d'))} as due_at, ${sql.raw(isOnItsWay('d'))} as is_sending, m.created_at,
      ${sql.raw(outgoingStatus('d'))} as status, left(m.body, ${textCharacters}) as text,
      d.error_category as category, d.error_http_status as http_status, d.error_detail as detail,
      coalesce(m.channel, 'custom') as label,
      ${sql.raw(shownName('c'))} as contact_name
    from deliveries d
    join messages m on m.account_id = ${accountId} and m.id = d.id
    join contacts c on c.account_id = ${accountId} and c.id = d.contact_id
    where d.account_id = ${accountId} and d.receiver_id = ${sql.lit(receiverId)} and d.id = any (${ids})
  `.execute(db)
  const labels = rows.map(({ label }) => label)
  const channelOf = await findChannels(db, accountId, labels)
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [listed(row, channelOf(row.label))] : []
  })
}

function listed({ label, category, httpStatus, detail, dueAt, ...row }: Row, channel: ShownChannel): ListedDelivery {
  return {
    ...row,
    channel,
    fault: row.status === 'Failed' && category !== null ? { category, httpStatus, detail } : null,
    nextAttemptAt: row.status === 'Failed' ? dueAt : null,
  }
}

export type StoredPost = { payload: string; outgoingSeq: string | null; attempts: number; author: string | null }

/** What the next attempt of an event sends. */
export async function findPost(
  db: Db,
  { accountId, receiverId }: Receiver,
  id: string,
): Promise<StoredPost | undefined> {
  return db
    .selectFrom('deliveries')
    .select(['payload', 'outgoingSeq', 'attempts', 'author'])
    .where('accountId', '=', accountId)
    .where('receiverId', '=', receiverId)
    .where('id', '=', id)
    .executeTakeFirst()
}
