import { sql } from 'kysely'
import type { EventKind } from '../../../outbox/owe-events.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { hasFailed } from '../../messages/status-store.ts'
import { askFor, makeFailedDue } from './due-again-store.ts'

/**
 * Makes one event due now, unless it is on its way. False: it is, or there is none. The results of broadcasts must be looked at
 * again.
 */
export async function makeDue(db: Db, accountId: AccountId, id: string): Promise<boolean> {
  const { rows } = await sql`
    with made as (
      update deliveries d set ${askFor('now')}
      where account_id = ${accountId} and id = ${id} and ${isNotLeased} and (asked = 'now' and due_at is not null) is not true
      returning id
    ), marked as (
      update broadcast_marks set resent_at = clock_timestamp()
      where account_id = ${accountId} and exists (select from made)
    )
    select from made
  `.execute(db)
  return rows.length > 0
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
  // By kind: with a condition on contact_id the planner takes the index by contact, and compares each row with a whole batch.
  const isKind = sql<boolean>`(${kind}::text is null or kind = ${kind})`
  const isWanted = sql<boolean>`${isNotLeased} and ${sql.raw(hasFailed('d'))} and ${isKind} and (
    kind in ('recharge', 'alert') and d.id >= ${firstIdAt('evt', since)}
    or kind not in ('recharge', 'alert') and d.id >= ${firstIdAt('msg', since)}
  )`
  return makeFailedDue(db, accountId, isWanted)
}

const isNotLeased = sql<boolean>`(leased_until is null or leased_until < now())`

/** The smallest id with this prefix that can have been made at that time: a UUIDv7 begins with its milliseconds. */
function firstIdAt(prefix: 'msg' | 'evt', at: Date): string {
  return `${prefix}_${at.getTime().toString(16).padStart(12, '0')}`
}
