import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { activeSince } from '../../journey/messages/activity-store.ts'
import type { Db } from '../../platform/database/db.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'

export type ActiveConversation = { accountId: AccountId; contactId: ContactId; secondsAgo: number }

/** So many are read of one account at once. */
export const mostActive = 500

/** Conversations with activity in the last half minute, and some of what was a little earlier: the time is that of a whole minute. */
export async function findActive(db: Db, accountIds: AccountId[]): Promise<ActiveConversation[]> {
  const { rows } = await sql<ActiveConversation>`
    select a.account_id, c.contact_id, extract(epoch from now() - c.active_at)::float8 as seconds_ago
    from unnest(${accountIds}::text[]) as a (account_id) cross join lateral (
      select c.contact_id, c.active_at from conversations c
      where c.account_id = a.account_id and c.state in ('open', 'snoozed', 'closed')
        and ${activeSince(sql`date_trunc('minute', now() - interval '30 s')`)}
      limit ${mostActive}
    ) as c
  `.execute(db)
  return rows
}

/**
 * Returns another value after the data was restored from a copy, in this database or in another: what a browser has
 * fetched before may never have happened. Not every hosted PostgreSQL tells its timeline.
 */
export async function readInstallation(db: Db): Promise<string> {
  const facts = await readFacts(db).catch((error) => {
    if (hasSqlState(error, '42501')) return readBegin(db)
    throw error
  })
  return hash('sha256', JSON.stringify(facts), 'hex').slice(0, 32)
}

async function readFacts(db: Db): Promise<unknown> {
  const { rows } = await sql`
    select (select created_at::text from installation) as created_at, current_database() as name,
      (select system_identifier::text from pg_control_system()) as system,
      (select timeline_id from pg_control_checkpoint()) as timeline
  `.execute(db)
  return rows
}

async function readBegin(db: Db): Promise<unknown> {
  const { rows } = await sql`select created_at::text from installation`.execute(db)
  return rows
}
