import { sql } from 'kysely'
import type { Db } from '../server/src/platform/database/db.ts'
import { customers } from './business.ts'

/** Between two messages of a conversation. */
const gap = '3 minutes'

/**
 * Moves the conversations back in time, each to when its customer wrote last: everything above was written within the
 * last minute.
 */
export async function age(db: Db): Promise<void> {
  for (const { fromId, minutesAgo } of customers) {
    const { rows } = await sql<{ accountId: string; id: string }>`
      select account_id, id from contacts where external_id = ${fromId}
    `.execute(db)
    for (const { accountId, id } of rows) await ageOne(db, { accountId, contactId: id, minutesAgo })
  }
}

type Aged = { accountId: string; contactId: string; minutesAgo: number }

async function ageOne(db: Db, { accountId, contactId, minutesAgo }: Aged): Promise<void> {
  const lastAt = sql`now() - ${minutesAgo} * interval '1 minute'`
  await sql`
    with aged as (
      update messages m
      set created_at = ${lastAt} - ((select max(seq) from messages o
        where o.account_id = m.account_id and o.contact_id = m.contact_id) - m.seq) * ${gap}::interval
      where m.account_id = ${accountId} and m.contact_id = ${contactId}
      returning m.account_id, m.id, m.created_at
    )
    update deliveries d
    set first_attempt_at = a.created_at, last_attempt_at = a.created_at, sent_at = case when d.sent_at is not null then a.created_at end
    from aged a where d.account_id = a.account_id and d.id = a.id
  `.execute(db)
  await sql`
    update conversations set active_at = ${lastAt}, active_minute = date_trunc('minute', ${lastAt}),
      waiting_since = case when waiting_since is not null then ${lastAt} end,
      handler_since = case when handler_since is not null then ${lastAt} - ${gap}::interval end
    where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(db)
  await sql`
    update conversation_events set at = ${lastAt} - ${gap}::interval
    where account_id = ${accountId} and contact_id = ${contactId}
  `.execute(db)
  await sql`
    update contacts set created_at = ${lastAt} - interval '40 days' where account_id = ${accountId} and id = ${contactId}
  `.execute(db)
}
