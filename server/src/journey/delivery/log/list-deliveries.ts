import type { DeliveryPage } from '@patchbay/contract/app/webhook.ts'
import type { Static } from 'typebox'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import { isChannelId, type Receiver } from '../../../outbox/receivers.ts'
import { findByName } from '../../../people/contacts/search-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type ContactId, isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { type ListedDelivery, readDeliveries } from './delivery-store.ts'
import { type Filter, listIds, listIdsOf, type PageOfIds, type PageRequest, type Position } from './log-store.ts'

type LogQuery = { filter?: Filter; q?: string; before?: string; limit?: string }

const usualLimit = 50

/** Of contacts with the same text in their names, so many are looked at. */
const mostContacts = 20

/** A page of the delivery log of a receiver, newest first: all messages, or those with an id or of contacts. */
export async function listDeliveries(
  db: Db,
  { receiver, maxAttempts }: { receiver: Receiver; maxAttempts: number },
  { filter = 'all', q = '', before, limit }: LogQuery,
): Promise<Sendable<Static<typeof DeliveryPage>>> {
  const wanted = { filter, before: readCursor(before), limit: Number(limit ?? usualLimit) }
  const text = q.replaceAll('\0', '').trim() // PostgreSQL takes no NUL, and no stored text has one
  const { ids, next } = await findIds(db, receiver, text, wanted)
  const deliveries = await readDeliveries(db, receiver, ids)
  return {
    deliveries: deliveries.map((delivery) => ({ ...delivery, maxAttempts })),
    next: next ? `${next.id}~${next.dueAt}` : null,
  }
}

async function findIds(db: Db, receiver: Receiver, q: string, wanted: PageRequest): Promise<PageOfIds> {
  if (q === '') return listIds(db, receiver, wanted)
  if (isId('msg', q)) return { ids: await withFilter(db, receiver, q, wanted.filter), next: undefined }
  const contactIds: ContactId[] = isId('con', q) ? [q] : await findByName(db, receiver.accountId, q, mostContacts)
  return contactIds.length === 0 ? { ids: [], next: undefined } : listIdsOf(db, { ...receiver, contactIds }, wanted)
}

async function withFilter(db: Db, receiver: Receiver, id: string, filter: Filter): Promise<string[]> {
  const isHeld = ({ fault }: ListedDelivery) =>
    isChannelId(receiver.receiverId) && fault?.category === 'endpoint_paused'
  const isWanted = (one: ListedDelivery) =>
    filter === 'all' || (isHeld(one) ? 'waiting' : one.status.toLowerCase()) === filter
  return (await readDeliveries(db, receiver, [id])).filter(isWanted).map((delivery) => delivery.id)
}

/** `text`: the `next` of a page. */
function readCursor(text: string | undefined): Position | undefined {
  if (text === undefined) return undefined
  const [id = '', dueAt = ''] = text.split('~', 2)
  const isTime = dueAt === '' || /^[\d :.+-]{10,40}$/.test(dueAt)
  if (!isId('msg', id) || !isTime || Number.isNaN(Date.parse(dueAt || '2026-01-01'))) {
    throw new Refusal('INVALID_REQUEST', '`before` must be the `next` of an earlier page.')
  }
  return { id, dueAt: dueAt || 'infinity' }
}
