import { sql } from 'kysely'
import { activeSince, alongSteps, earliestFirst } from '../../../journey/messages/activity-store.ts'
import { acrossAccounts, type Db, type Tx } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'

/** How far an account is counted. */
export type CountedAccount = {
  zone: string
  /** The zone of the account now; the days are made anew when it is another. */
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
      select min(c.active_at) from unnest(array['open', 'snoozed', 'closed', 'empty']) as s (state) cross join lateral (
        select c.active_at from conversations c
        where c.account_id = ${accountId} and c.state = s.state order by ${earliestFirst} limit 1
      ) as c
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

/** Locks the account against others who count, and waits for them. */
export async function waitForAccount(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`select from report_accounts where account_id = ${accountId} for update`.execute(tx)
}

/** Conversations without activity since then are counted. */
export async function moveCountedTo(tx: Tx, accountId: AccountId, time: string): Promise<void> {
  await sql`
    update report_accounts set counted_to = date_trunc('minute', ${time}::timestamptz)
    where account_id = ${accountId} and counted_to < date_trunc('minute', ${time}::timestamptz)
  `.execute(tx)
}

/**
 * Moves the time of all accounts that have nothing to count, across accounts: each look would pass what was active since
 * then again. The horizon was read before they were found to have nothing.
 */
export async function moveQuietAccounts(db: Db, due: AccountId[], horizon: string): Promise<void> {
  const all = acrossAccounts(db)
  await sql`
    update report_accounts r set counted_to = date_trunc('minute', ${horizon}::timestamptz)
    where r.account_id = any (array(
      select q.account_id from report_accounts q
      where q.account_id <> all (${due}::text[]) and q.counted_to < date_trunc('minute', ${horizon}::timestamptz) and (
        select true from unnest(array['open', 'snoozed', 'closed']) as s (state) cross join lateral (
          select from conversations c
          where c.account_id = q.account_id and c.state = s.state and ${activeSince(sql`q.counted_to`)}
          order by ${alongSteps} limit 1
        ) as c limit 1
      )
      order by q.account_id for update skip locked
    ))
  `.execute(all)
}

export async function markCaughtUp(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`
    update report_accounts set caught_up_at = now() where account_id = ${accountId} and caught_up_at is null
  `.execute(tx)
}
