import { sql } from 'kysely'
import { hasFailed } from '../../messages/status-store.ts'
import type { EventKind } from '../../outbox/owe-events.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { makeFailedDue } from './due-again-store.ts'

/** Makes one event due now, unless it is leased. False: it is, or there is none. */
export async function makeDue(db: Db, accountId: AccountId, id: string): Promise<boolean> {
  const changed = await db
    .updateTable('deliveries')
    .set({ dueAt: sql`now()` })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where(isNotLeased)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

export async function findDelivery(db: Db, accountId: AccountId, id: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('deliveries')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Makes all failed events due that were made since then, or only those of a kind; returns how many. Ids sort by time. */
export async function makeFailedSinceDue(
  db: Db,
  accountId: AccountId,
  since: Date,
  kind: EventKind | null = null,
): Promise<number> {
  const isKind = sql<boolean>`(${kind}::text is null or kind = ${kind})`
  const isWanted = sql<boolean>`${isNotLeased} and ${sql.raw(hasFailed('d'))} and ${isKind} and (
    kind = 'recharge' and d.id >= ${firstIdAt('evt', since)} or kind <> 'recharge' and d.id >= ${firstIdAt('msg', since)}
  )`
  return makeFailedDue(db, accountId, isWanted)
}

const isNotLeased = sql<boolean>`(leased_until is null or leased_until < now())`

/** The smallest id with this prefix that can have been made at that time: a UUIDv7 begins with its milliseconds. */
function firstIdAt(prefix: 'msg' | 'evt', at: Date): string {
  return `${prefix}_${at.getTime().toString(16).padStart(12, '0')}`
}
