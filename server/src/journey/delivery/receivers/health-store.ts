import type { TestResult } from '@patchbay/contract/app/receivers.ts'
import { sql } from 'kysely'
import { askFor } from '../../../outbox/due-again-store.ts'
import { breaksAfter } from '../../../outbox/enqueue-events.ts'
import { getsMessages, type Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { hasFailed } from '../../messages/status-store.ts'

export type ReceiverHealth = {
  url: string
  failuresInRow: number
  failingSince: Date | null
  lastSuccessAt: Date | null
  /** When the next event is tried, which must be due itself; only while the circuit breaker is open. */
  probeAt: Date | null
  oldSecretUntil: Date | null
  pausedAt: Date | null
  goneAt: Date | null
  createdAt: Date
  lastTest: TestResult | null
}

export async function findHealth(db: Db, { accountId, receiverId }: Receiver): Promise<ReceiverHealth | undefined> {
  const found = await db
    .selectFrom('receivers')
    .select(['url', 'failuresInRow', 'failingSince', 'lastSuccessAt', 'pausedAt', 'goneAt', 'createdAt', 'lastTest'])
    .select([
      sql<Date | null>`case when failures_in_row >= ${breaksAfter} and paused_at is null then greatest(probe_at, (
        select d.due_at from deliveries d
        where d.account_id = ${accountId} and d.receiver_id = ${receiverId} and d.due_at is not null
        order by d.due_at limit 1
      )) end`.as('probeAt'),
      sql<Date | null>`case when old_secret_until > now() then old_secret_until end`.as('oldSecretUntil'),
    ])
    .where('accountId', '=', accountId)
    .where('id', '=', receiverId)
    .executeTakeFirst()
  return found && { ...found, lastTest: found.lastTest as TestResult | null } // written by `keepTest` alone
}

/** Counts stop here: after a long outage, counting all would take longer than a screen may wait. */
export const mostCounted = 10_000

/** Events that are to be delivered, and those that failed and are not tried again by themselves. */
export async function countPending(
  db: Db,
  { accountId, receiverId }: Receiver,
): Promise<{ owed: number; undelivered: number }> {
  const { rows } = await sql<{ owed: number; undelivered: number }>`
    select (
      select count(*)::integer from (
        select from deliveries where account_id = ${accountId} and receiver_id = ${receiverId} and due_at is not null
        limit ${mostCounted}
      ) as o
    ) as owed, (
      select count(*)::integer from (
        select from deliveries d
        where d.account_id = ${accountId} and d.receiver_id = ${receiverId} and d.due_at is null and ${sql.raw(hasFailed('d'))}
          ${getsMessages(receiverId) ? sql`and d.contact_id is not null` : sql``}
        limit ${mostCounted}
      ) as u
    ) as undelivered
  `.execute(db)
  return rows[0] ?? { owed: 0, undelivered: 0 }
}

export type RecentAttempt = {
  at: Date
  /** The address without what follows a question mark. */
  url: string
  category: string | null
  httpStatus: number | null
  detail: string | null
}

/** How many of the latest deliveries, and of those with failures, are looked at for their attempts. */
const lookedAt = 120

/**
 * The last attempts to reach a receiver, newest first. There is no index by time, which every delivery would have to
 * maintain: these are the attempts of the latest deliveries, of the latest failed ones and of those due last.
 */
export async function listRecentAttempts(
  db: Db,
  { accountId, receiverId }: Receiver,
  limit: number,
): Promise<RecentAttempt[]> {
  const { rows } = await sql<RecentAttempt>`
    with recent as materialized (
      (
        select id from deliveries where account_id = ${accountId} and receiver_id = ${receiverId}
        order by id desc limit ${lookedAt}
      ) union (
        select id from deliveries where account_id = ${accountId} and receiver_id = ${receiverId} and error_category is not null
        order by id desc limit ${lookedAt}
      ) union (
        select id from deliveries where account_id = ${accountId} and receiver_id = ${receiverId} and due_at is not null
        order by due_at desc, id desc limit ${lookedAt}
      )
    )
    select at, url, error_category as category, error_http_status as http_status, error_detail as detail
    from (
      select d.last_attempt_at as at, d.last_url as url, d.error_category, d.error_http_status, d.error_detail
      from deliveries d
      where d.account_id = ${accountId} and d.id = any (array(select id from recent)) and d.last_url is not null
      union all
      select a.at, a.url, a.error_category, a.error_http_status, a.error_detail
      from delivery_attempts a
      where a.account_id = ${accountId} and a.delivery_id = any (array(select id from recent))
    ) as attempt
    order by at desc
    limit ${limit}
  `.execute(db)
  return rows
}

/** Keeps the result of a test post with the address that it went to; not when another address was saved meanwhile. */
export async function keepTest(
  db: Db,
  { accountId, receiverId }: Receiver,
  { url, result }: { url: string; result: object },
): Promise<void> {
  await db
    .updateTable('receivers')
    .set({ lastTest: JSON.stringify(result) })
    .where('accountId', '=', accountId)
    .where('id', '=', receiverId)
    .where('url', '=', url)
    .execute()
}

/** How many of the events that have waited longest are looked at for one that was tried before. */
const lookedAtWaiting = 1_000

/**
 * Lets a person have an attempt made now, of the event that has waited longest; if possible one that was tried before, for
 * which it is an attempt more. Where there is none, it is the first attempt of an event, and if the circuit breaker is open
 * the probe. `isPaused` is undefined when no address is saved; `isOwed`: there is an event to try.
 */
export async function makeNextDue(
  db: Db,
  { accountId, receiverId }: Receiver,
): Promise<{ isPaused: boolean | undefined; isOwed: boolean }> {
  const { rows } = await sql<{ isPaused: boolean | null; isOwed: boolean }>`
    with receiver as materialized (
      select paused_at is not null as is_paused from receivers
      where account_id = ${accountId} and id = ${receiverId}
    ), waiting as materialized (
      select id, attempts, due_at from deliveries
      where account_id = ${accountId} and receiver_id = ${receiverId} and due_at is not null
        and (leased_until is null or leased_until < now())
        and exists (select from receiver where not is_paused)
      order by due_at, id
      limit ${lookedAtWaiting}
    ), next as materialized (
      select id, attempts from waiting order by attempts = 0, due_at, id limit 1
    ), due as (
      update deliveries d set ${askFor('now')}
      where account_id = ${accountId} and id = (select id from next) and due_at is not null
        and (leased_until is null or leased_until < now())
    ), probed as (
      update receivers set probe_at = now()
      where account_id = ${accountId} and id = ${receiverId} and probe_at > now()
        and exists (select from next where attempts = 0)
    )
    select (select is_paused from receiver) as is_paused, exists (select from next) as is_owed
  `.execute(db)
  return { isPaused: rows[0]?.isPaused ?? undefined, isOwed: rows[0]?.isOwed ?? false }
}
