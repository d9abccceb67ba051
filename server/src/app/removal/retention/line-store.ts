import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import { type DaysOfKinds, type DueAccount, findDue, messageIdAt } from './rule-store.ts'

/** Accounts whose search has words of messages that are over: in sealed blocks, or in one of the few open ones. */
export async function findDueLines(db: Db, keepDays: DaysOfKinds): Promise<DueAccount[]> {
  return findDue(db, keepDays, {
    kind: 'messages',
    isDue: (accountId, before) => sql`
      select true from (
        (select from message_search
          where account_id = ${accountId} and terms is not null and message_ids[1] < ${messageIdAt(before)}
          order by message_ids[1] limit 1)
        union all
        (select from message_search b
          where account_id = ${accountId} and terms is null
            and ${messageIdAt(before)} > any (b.message_ids) limit 1)
      ) as found limit 1`,
  })
}
