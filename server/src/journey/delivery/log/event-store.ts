import { sql } from 'kysely'
import type { Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { EventId } from '../../../platform/ids.ts'
import { isOnItsWay, nextAttempt, outgoingStatus } from '../../messages/status-store.ts'
import type { DeliveryError } from '../../messages/store.ts'

export type EventRow = {
  id: EventId
  payload: string
  status: 'Waiting' | 'Sent' | 'Failed'
  attempts: number
  askedAttempts: number
  isSending: boolean
  fault: DeliveryError | null
  sentAt: Date | null
  nextAttemptAt: Date | null
}

type Row = Omit<EventRow, 'fault' | 'nextAttemptAt'> & {
  category: string | null
  httpStatus: number | null
  detail: string | null
  dueAt: Date | null
}

type EventQuery = { status?: EventRow['status'] | undefined; before?: string | undefined; id?: string; limit: number }

/** Events of a receiver that are no messages, newest first. Their ids have a prefix of their own, so replies are not read. */
export async function listEvents(db: Db, { accountId, receiverId }: Receiver, wanted: EventQuery): Promise<EventRow[]> {
  const { status, before = 'evt~', id, limit } = wanted
  const isWanted = status === undefined ? sql`true` : sql`${sql.raw(outgoingStatus('d'))} = ${status}`
  const { rows } = await sql<Row>`
    select d.id, d.payload, d.attempts, d.asked_attempts, d.sent_at, ${sql.raw(nextAttempt('d'))} as due_at,
      ${sql.raw(isOnItsWay('d'))} as is_sending, ${sql.raw(outgoingStatus('d'))} as status,
      d.error_category as category, d.error_http_status as http_status, d.error_detail as detail
    from deliveries d
    where d.account_id = ${accountId} and d.receiver_id = ${receiverId} and d.id > 'evt_' and d.id < ${before} and ${isWanted}
      ${id === undefined ? sql`` : sql`and d.id = ${id}`}
    order by d.id desc limit ${limit}
  `.execute(db)
  return rows.map(({ category, httpStatus, detail, dueAt, ...row }) => ({
    ...row,
    fault: row.status === 'Failed' && category !== null ? { category, httpStatus, detail } : null,
    nextAttemptAt: row.status === 'Failed' ? dueAt : null,
  }))
}
