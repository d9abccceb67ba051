import { sql } from 'kysely'
import { activeSince, alongSteps, earliestFirst } from '../../../journey/messages/activity-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'

/** Accounts with something new that is not counted yet, of all or of those given. Each costs a few looks into indexes. */
export async function findDueAccounts(db: Db, horizon: string, among?: AccountId[]): Promise<AccountId[]> {
  const { rows } = await sql<{ accountId: AccountId }>`
    select a.id as account_id
    from accounts a left join report_accounts r on r.account_id = a.id
    where ${among === undefined ? sql`true` : sql`a.id = any (${among}::text[])`} and (
      r.account_id is null or r.caught_up_at is null or r.zone <> a.time_zone or (
      select true from unnest(array['open', 'snoozed', 'closed']) as s (state) cross join lateral (
        select true from conversations c
        where c.account_id = a.id and c.state = s.state and ${activeSince(sql`r.counted_to`)} and not c.is_simulated
          and c.last_seq > coalesce((
            select k.seq from report_marks k where k.account_id = a.id and k.contact_id = c.contact_id
          ), 0)
        order by ${alongSteps} limit 1
      ) as c limit 1
    ) or (
      select true from answers w
      where w.account_id = a.id and w.created_at >= r.answers_to and w.created_at < ${horizon}::timestamptz
      order by w.created_at limit 1
    ) or (
      select b.version > r.ledger_n from balances b where b.account_id = a.id
    ) or (
      select true from report_dirty_days d where d.account_id = a.id limit 1
    ))
    order by a.id
  `.execute(db)
  return rows.map(({ accountId }) => accountId)
}

export type DueContact = { contactId: ContactId; activeMinute: string }

/** Conversations with messages that are not counted, those with the earliest activity first. */
export async function findDueContacts(db: Db, accountId: AccountId, limit: number): Promise<DueContact[]> {
  const countedTo = sql`coalesce((
          select r.counted_to from report_accounts r where r.account_id = ${accountId}
        ), '-infinity')`
  const { rows } = await sql<DueContact>`
    select c.contact_id, date_trunc('minute', c.active_at)::text as active_minute
    from unnest(array['open', 'snoozed', 'closed']) as s (state) cross join lateral (
      select c.contact_id, c.active_at
      from conversations c
      where c.account_id = ${accountId} and c.state = s.state and not c.is_simulated
        and ${activeSince(countedTo)}
        and c.last_seq > coalesce((
          select k.seq from report_marks k where k.account_id = ${accountId} and k.contact_id = c.contact_id
        ), 0)
      order by ${earliestFirst} limit ${limit}
    ) as c
    order by c.active_at limit ${limit}
  `.execute(db)
  return rows
}
