import { sql } from 'kysely'
import { activeSince, alongSteps, earliestFirst } from '../../../journey/messages/activity-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'

/** `looked`: those of these accounts whose conversations are looked through. */
type Among = { among: AccountId[]; looked: AccountId[] }

/** `isNew`: it has to be counted from its first conversation on, or in another zone. */
export type DueAccount = { accountId: AccountId; isNew: boolean }

/** Accounts with something new that is not counted yet, of all or of those given. Each costs a few looks into indexes. */
export async function findDueAccounts(db: Db, horizon: string, given?: Among): Promise<DueAccount[]> {
  const isAny = (accountIds: AccountId[] | undefined) =>
    accountIds === undefined ? sql`true` : sql`a.id = any (${accountIds}::text[])`
  const { rows } = await sql<DueAccount>`
    select a.id as account_id,
      (r.account_id is null or r.caught_up_at is null or r.zone <> a.time_zone) as is_new
    from accounts a left join report_accounts r on r.account_id = a.id
    where ${isAny(given?.among)} and (
      r.account_id is null or r.caught_up_at is null or r.zone <> a.time_zone or ${isAny(given?.looked)} and (
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
  return rows
}

/** Those of these accounts that have a conversation with messages that are not counted, among the conversations given. */
export async function findDueAmongNamed(db: Db, named: [AccountId, Set<ContactId>][]): Promise<AccountId[]> {
  if (named.length === 0) return []
  const [accountIds, contactIds] = [named.map(([id]) => id), named.map(([, ids]) => JSON.stringify([...ids]))]
  const { rows } = await sql<{ accountId: AccountId }>`
    select g.account_id
    from unnest(${accountIds}::text[], ${contactIds}::text[]) as g (account_id, contact_ids)
    where (
      select true from json_array_elements_text(g.contact_ids::json) as n (contact_id) cross join lateral (
        select from conversations c
        where c.account_id = g.account_id and c.contact_id = n.contact_id and not c.is_simulated
          and c.last_seq > coalesce((
            select k.seq from report_marks k where k.account_id = g.account_id and k.contact_id = n.contact_id
          ), 0)
        limit 1
      ) as c limit 1
    )
  `.execute(db)
  return rows.map(({ accountId }) => accountId)
}

/** `activeMinute` is undefined where it was not looked for: the conversation was named. */
export type DueContact = { contactId: ContactId; activeMinute: string | undefined }

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
