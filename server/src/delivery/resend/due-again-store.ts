import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

const batchSize = 10_000

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
        update deliveries d set due_at = now()
        where d.account_id = ${accountId} and d.id = any (array(select id from failed)) and ${which}
        returning d.id
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
