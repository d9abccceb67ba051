import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'

const batchSize = 10_000

/**
 * Makes the event `d` due now, beside the attempts that come by themselves: `own_due_at` keeps when the next of these is due.
 * But where none came by itself yet, or the next one could not be made (a pause, no address, a secret that cannot be read), they
 * begin or go on with this one. One that has expired before its first attempt begins none that would expire again. Of many, one that is due already is left as it is; a person who waits for one has it tried
 * before the others.
 */
export function askFor(how: 'now' | 'in turn'): RawBuilder<unknown> {
  const isHeldBack = sql`d.due_at is null and d.error_category in ('endpoint_paused', 'no_endpoint', 'secret_unreadable')`
  const isOwn = sql`(d.attempts = 0 and d.error_category is distinct from 'expired' or ${isHeldBack})`
  const isLeft = how === 'now' ? sql`false` : sql`d.due_at <= now()`
  return sql`due_at = least(d.due_at, now()), lease_token = null, leased_until = null,
    asked = case when ${isOwn} then null when ${isLeft} then d.asked else ${how} end,
    own_due_at = case when ${isOwn} then null when d.asked is null then case when ${isLeft} then null else d.due_at end
      else d.own_due_at end`
}

/**
 * Makes due now those events of an account whose last attempt failed or could not be made, and for which `which` is
 * true; returns how many. In batches, in the order of their ids: after a long outage, one statement for all of them
 * would exceed the statement timeout. The results of broadcasts must be looked at again.
 */
export async function makeFailedDue(db: Db, accountId: AccountId, which: RawBuilder<boolean>): Promise<number> {
  let made = 0
  for (let after: string | null = ''; after !== null; ) {
    const found = await sql<{ last: string | null; made: number }>`
      with failed as materialized (
        select id from deliveries
        where account_id = ${accountId} and error_category is not null and id > ${after}
        order by id
        limit ${batchSize}
      ), made as (
        update deliveries d set ${askFor('in turn')}
        where d.account_id = ${accountId} and d.id = any (array(select id from failed)) and ${which}
        returning d.id
      ), anew as (
        update delivery_parts set failed_at = null
        where account_id = ${accountId} and delivery_id = any (array(select id from made)) and failed_at is not null
      ), marked as (
        update broadcast_marks set resent_at = clock_timestamp()
        where account_id = ${accountId} and exists (select from made)
      )
      select (select max(id) from failed) as last, (select count(*)::integer from made) as made
    `.execute(db)
    made += found.rows[0]?.made ?? 0
    after = found.rows[0]?.last ?? null
  }
  return made
}
