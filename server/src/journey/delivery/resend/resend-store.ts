import { sql } from 'kysely'
import { askFor, makeFailedDue } from '../../../outbox/due-again-store.ts'
import { isOfMessages } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ReceiverId } from '../../../platform/ids.ts'
import { hasFailed } from '../../messages/status-store.ts'

/**
 * Makes one event due now, unless it is on its way or has left over a built-in channel. False: it is, it has, or there is none. The results of broadcasts must be looked at
 * again.
 */
export async function makeDue(db: Db, accountId: AccountId, id: string): Promise<boolean> {
  const { rows } = await sql`
    with made as (
      update deliveries d set ${askFor('now')}
      where account_id = ${accountId} and id = ${id} and ${isNotLeased} and (asked = 'now' and due_at is not null) is not true
        and (sent_at is null or receiver_id not like 'chn\\_%')
      returning id
    ), anew as (
      update delivery_parts set failed_at = null
      where account_id = ${accountId} and delivery_id = any (array(select id from made)) and failed_at is not null
    ), marked as (
      update broadcast_marks set resent_at = clock_timestamp()
      where account_id = ${accountId} and exists (select from made)
    )
    select from made
  `.execute(db)
  return rows.length > 0
}

export async function findDelivery(
  db: Db,
  accountId: AccountId,
  id: string,
): Promise<{ receiverId: ReceiverId; sentAt: Date | null } | undefined> {
  return db
    .selectFrom('deliveries')
    .select(['receiverId', 'sentAt'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Makes all failed events due that were made since then, or only those of one receiver; returns how many. Ids sort by time. What is
 * left in doubt is for a person to decide, one by one: it may have arrived.
 */
export async function makeFailedSinceDue(
  db: Db,
  accountId: AccountId,
  since: Date,
  receiverId: ReceiverId | null = null,
): Promise<number> {
  // By receiver: with a condition on contact_id the planner takes the index by contact, and compares each row with a whole batch.
  const isOfReceiver = sql<boolean>`(${receiverId}::text is null or receiver_id = ${receiverId})`
  const isWanted = sql<boolean>`${isNotLeased} and ${sql.raw(hasFailed('d'))} and d.error_category <> 'in_doubt' and ${isOfReceiver} and (
    not ${ofMessages} and d.id >= ${firstIdAt('evt', since)} or ${ofMessages} and d.id >= ${firstIdAt('msg', since)}
  )`
  return makeFailedDue(db, accountId, isWanted)
}

const ofMessages = sql.raw(isOfMessages('receiver_id'))

const isNotLeased = sql<boolean>`(leased_until is null or leased_until < now())`

/** The smallest id with this prefix that can have been made at that time: a UUIDv7 begins with its milliseconds. */
function firstIdAt(prefix: 'msg' | 'evt', at: Date): string {
  return `${prefix}_${at.getTime().toString(16).padStart(12, '0')}`
}
