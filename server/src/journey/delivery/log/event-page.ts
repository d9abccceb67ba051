import type { deliveryFilters } from '@patchbay/contract/app/webhook.ts'
import type { Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type EventId, isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { type EventRow, listEvents } from './event-store.ts'

const usualLimit = 50
const statusOf = { all: undefined, failed: 'Failed', waiting: 'Waiting', sent: 'Sent' } as const

type PageQuery = { filter?: (typeof deliveryFilters)[number]; before?: string; limit?: string }

/** A page of events that are no messages, newest first. */
export async function pageOfEvents(
  db: Db,
  receiver: Receiver,
  { filter = 'all', before, limit: given }: PageQuery,
): Promise<{ rows: EventRow[]; next: EventId | null }> {
  if (before !== undefined && !isId('evt', before)) {
    throw new Refusal('INVALID_REQUEST', 'before must be the next of a page.')
  }
  const limit = Number(given ?? usualLimit)
  const rows = await listEvents(db, receiver, { status: statusOf[filter], before, limit: limit + 1 })
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
}
