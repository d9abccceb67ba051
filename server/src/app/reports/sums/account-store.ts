import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
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

export async function markCaughtUp(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`
    update report_accounts set caught_up_at = now() where account_id = ${accountId} and caught_up_at is null
  `.execute(tx)
}
