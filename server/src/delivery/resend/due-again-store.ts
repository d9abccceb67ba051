import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

const atOnce = 10_000

/**
 * Makes those due now that an account's last attempts have failed for, or could not be made for, and that `which` is true
 * of; tells how many. A few at a time, in the order of their ids: after a long outage one statement for all of them would
 * take longer than a statement may.
 */
export async function makeFailedDue(db: Db, accountId: AccountId, which: RawBuilder<boolean>): Promise<number> {
  let made = 0
  for (let after: string | null = ''; after !== null; ) {
    const found = await sql<{ last: string | null; made: number }>`
      with failed as materialized (
        select id from deliveries
        where account_id = ${accountId} and error_category is not null and id > ${after}
        order by id
        limit ${atOnce}
      ), made as (
        update deliveries d set due_at = now()
        where d.account_id = ${accountId} and d.id = any (array(select id from failed)) and ${which}
        returning d.id
      )
      select (select max(id) from failed) as last, (select count(*)::integer from made) as made
    `.execute(db)
    made += found.rows[0]?.made ?? 0
    after = found.rows[0]?.last ?? null
  }
  return made
}
