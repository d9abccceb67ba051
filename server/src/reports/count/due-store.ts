import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/db.ts'
import type { AccountId, ContactId } from '../platform/ids.ts'

/** Accounts with something new that is not counted yet. Each account costs a few looks into indexes. */
export async function findDueAccounts(db: Db, horizon: string): Promise<AccountId[]> {
  const { rows } = await sql<{ accountId: AccountId }>`
    select a.id as account_id
    from accounts a left join report_accounts r on r.account_id = a.id
    where r.account_id is null or r.caught_up_at is null or r.zone <> a.time_zone or (
      select true from unnest(array['open', 'snoozed', 'closed']) as s (state) cross join lateral (
        select true from conversations c
        where c.account_id = a.id and c.state = s.state and c.active_minute >= r.counted_to and not c.is_simulated
          and c.last_seq > coalesce((
            select k.seq from report_marks k where k.account_id = a.id and k.contact_id = c.contact_id
          ), 0)
        order by c.active_minute limit 1
      ) as c limit 1
    ) or (
      select true from answers w
      where w.account_id = a.id and w.created_at >= r.answers_to and w.created_at < ${horizon}::timestamptz
      order by w.created_at limit 1
    ) or (
      select b.version > r.ledger_n from balances b where b.account_id = a.id
    ) or (
      select true from report_dirty_days d where d.account_id = a.id limit 1
    )
    order by a.id
  `.execute(db)
  return rows.map(({ accountId }) => accountId)
}

/** How far an account is counted. */
export type CountedAccount = {
  zone: string
  /** Of the account now; the days are made anew when it is another. */
  timeZone: string
  answersTo: string
  ledgerN: string
  isCaughtUp: boolean
}

/** Locks the account against others who count; undefined: one of them is at it, or there is no such account. */
export async function lockAccount(tx: Tx, accountId: AccountId): Promise<CountedAccount | undefined> {
  await sql`
    insert into report_accounts (account_id, zone, began_at)
    select a.id, a.time_zone, coalesce((
      select min(c.active_minute) from conversations c where c.account_id = ${accountId}
    ), now())
    from accounts a where a.id = ${accountId} and not exists (
      select from report_accounts r where r.account_id = ${accountId}
    )
    on conflict do nothing
  `.execute(tx)
  const { rows } = await sql<CountedAccount>`
    select r.zone, (select a.time_zone from accounts a where a.id = ${accountId}) as time_zone,
      r.answers_to::text as answers_to, r.ledger_n, r.caught_up_at is not null as is_caught_up
    from report_accounts r where r.account_id = ${accountId} for update skip locked
  `.execute(tx)
  return rows[0]
}

/** The same, but waits for them. */
export async function waitForAccount(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`select from report_accounts where account_id = ${accountId} for update`.execute(tx)
}

export type DueContact = { contactId: ContactId; activeMinute: string }

/** Conversations with messages that are not counted, those with the earliest activity first. */
export async function findDueContacts(db: Db, accountId: AccountId, limit: number): Promise<DueContact[]> {
  const { rows } = await sql<DueContact>`
    select c.contact_id, c.active_minute::text as active_minute
    from unnest(array['open', 'snoozed', 'closed']) as s (state) cross join lateral (
      select c.contact_id, c.active_minute
      from conversations c
      where c.account_id = ${accountId} and c.state = s.state and not c.is_simulated
        and c.active_minute >= coalesce((
          select r.counted_to from report_accounts r where r.account_id = ${accountId}
        ), '-infinity')
        and c.last_seq > coalesce((
          select k.seq from report_marks k where k.account_id = ${accountId} and k.contact_id = c.contact_id
        ), 0)
      order by c.active_minute limit ${limit}
    ) as c
    order by c.active_minute limit ${limit}
  `.execute(db)
  return rows
}

/** Conversations without activity since then are counted. */
export async function moveCountedTo(tx: Tx, accountId: AccountId, time: string): Promise<void> {
  await sql`
    update report_accounts set counted_to = date_trunc('minute', ${time}::timestamptz)
    where account_id = ${accountId} and counted_to < date_trunc('minute', ${time}::timestamptz)
  `.execute(tx)
}

export async function markCaughtUp(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`
    update report_accounts set caught_up_at = now() where account_id = ${accountId} and caught_up_at is null
  `.execute(tx)
}
