import { sql } from 'kysely'
import { hasFailed } from '../../messages/status-store.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { makeFailedDue } from './due-again-store.ts'

/** Makes one due now unless it is on its way at this moment; tells whether it did. */
export async function dueAgain(db: Db, accountId: AccountId, id: string): Promise<boolean> {
  const changed = await db
    .updateTable('deliveries')
    .set({ dueAt: sql`now()` })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where(isFree)
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

/** Makes all events due that failed, of those made since then; tells how many. Ids sort by time. */
export async function failedDueAgain(db: Db, accountId: AccountId, since: Date): Promise<number> {
  const isMeant = sql<boolean>`${isFree} and ${sql.raw(hasFailed('d'))} and (
    kind = 'reply' and d.id >= ${firstIdAt('msg', since)} or kind <> 'reply' and d.id >= ${firstIdAt('evt', since)}
  )`
  return makeFailedDue(db, accountId, isMeant)
}

const isFree = sql<boolean>`(leased_until is null or leased_until < now())`

/** The least id of its kind that can have been made at that time: a UUIDv7 begins with its milliseconds. */
function firstIdAt(prefix: 'msg' | 'evt', at: Date): string {
  return `${prefix}_${at.getTime().toString(16).padStart(12, '0')}`
}
