import { sql } from 'kysely'
import { fullName } from '../../people/contacts/full-name-store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { alerting } from './alerting-store.ts'

/**
 * A conversation waits since the beginning of the transaction that says so, and none of ours takes so long: one that began
 * to wait before this is seen by now.
 */
export const lookBack = sql`interval '1 minute'`

/** The time between two alerts of an account about waiting conversations. */
const gap = sql`interval '1 minute'`

/** So many are told at once; the rest in the next alert. */
const atOnce = 2_000

/** Conversations of `a` that began to wait after `w` says, and were not told. Simulated ones concern nobody elsewhere. */
const untold = sql`
  c.account_id = a.account_id and c.state = 'open' and c.waiting_since > greatest(w.since - ${lookBack}, a.created_at)
    and c.last_seq > 0 and not c.is_simulated and not exists (
      select from alert_states t
      where t.account_id = c.account_id and t.condition = 'conversation' and t.subject = c.contact_id
        and t.since = c.waiting_since
    )`

const isFree = sql`(w.told_at is null or w.told_at <= now() - ${gap})`

/** Accounts with conversations to tell, and those whose list of what was told can be shortened. */
export async function findAccountsToTell(db: Db): Promise<AccountId[]> {
  const { rows } = await sql<{ accountId: AccountId }>`
    with ${alerting}
    select a.account_id from alerting a
    left join alert_states w on w.account_id = a.account_id and w.condition = 'waiting' and w.subject = ''
    where 'waiting' = any (a.conditions) and ${isFree} and (
      exists (select from conversations c where ${untold}) or exists (
        select from alert_states t where t.account_id = a.account_id and t.condition = 'conversation'
          and t.since < now() - 3 * ${lookBack}
      )
    )
    order by a.account_id limit 500
  `.execute(db)
  return rows.map(({ accountId }) => accountId)
}

export type WaitingRow = { contactId: string; since: Date; reason: string | null; name: string | null }

/**
 * Locks the account's row, so that one transaction at a time tells. Undefined: not now, because another one has just told, or
 * the account is not told any more.
 */
export async function lockWaiting(
  tx: Tx,
  accountId: AccountId,
): Promise<{ url: string; namesContacts: boolean } | undefined> {
  await sql`
    with ${alerting}
    insert into alert_states (account_id, condition, subject, since)
    select a.account_id, 'waiting', '', a.created_at from alerting a where a.account_id = ${accountId}
    on conflict (account_id, condition, subject) do nothing
  `.execute(tx)
  await sql`
    select from alert_states w
    where w.account_id = ${accountId} and w.condition = 'waiting' and w.subject = '' for update
  `.execute(tx)
  const { rows } = await sql<{ url: string; namesContacts: boolean }>`
    with ${alerting}
    select a.url, a.names_contacts from alerting a join alert_states w on w.account_id = a.account_id
    where a.account_id = ${accountId} and w.condition = 'waiting' and w.subject = '' and ${isFree}
      and 'waiting' = any (a.conditions)
  `.execute(tx)
  return rows[0]
}

/**
 * Marks those as told that began to wait and were not told, and returns them, the longest waiting first. Their contacts are
 * locked against an erasure, which then finds the alert that names them.
 */
export async function takeWaiting(
  tx: Tx,
  accountId: AccountId,
  { withNames }: { withNames: boolean },
): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    with ${alerting}, began as materialized (
      select c.contact_id, c.waiting_since, c.waiting_reason,
        case when ${withNames} then ${sql.raw(fullName('p'))} end as name
      from alerting a
      join alert_states w on w.account_id = a.account_id and w.condition = 'waiting' and w.subject = ''
      join conversations c on ${untold}
      join contacts p on p.account_id = c.account_id and p.id = c.contact_id
      where a.account_id = ${accountId}
      order by c.waiting_since, c.contact_id limit ${atOnce}
      for key share of p
    ), told as (
      insert into alert_states (account_id, condition, subject, since, told_at)
      select ${accountId}, 'conversation', contact_id, waiting_since, now() from began
      on conflict (account_id, condition, subject) do update set since = excluded.since, told_at = excluded.told_at
    ), moved as (
      update alert_states w
      set told_at = case when exists (select from began) then now() else w.told_at end,
        since = greatest(w.since, case when (select count(*) from began) < ${atOnce} then now()
          else (select max(waiting_since) from began) end)
      where w.account_id = ${accountId} and w.condition = 'waiting' and w.subject = ''
    )
    select contact_id, waiting_since as since, waiting_reason as reason, name from began
    order by waiting_since, contact_id
  `.execute(tx)
  await sql`
    delete from alert_states t using alert_states w
    where w.account_id = ${accountId} and w.condition = 'waiting' and w.subject = ''
      and t.account_id = ${accountId} and t.condition = 'conversation' and t.since <= w.since - ${lookBack}
  `.execute(tx)
  return rows
}
