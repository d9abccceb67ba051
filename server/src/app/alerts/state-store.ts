import { type AlertCondition, alertConditions } from '@patchbay/contract/alerts.ts'
import { CompiledQuery, sql } from 'kysely'
import { enqueueEvents } from '../../outbox/enqueue-events.ts'
import { alertWebhook } from '../../outbox/receivers.ts'
import { shownName } from '../../people/contacts/shown-name-store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, EventId } from '../../platform/ids.ts'
import { alerting, type Condition } from './fact-store.ts'

type StoredSettings = { conditions: AlertCondition[]; namesContacts: boolean; creditsBelow: string | null }

export async function readSettings(db: Db, accountId: AccountId): Promise<StoredSettings> {
  const found = await db
    .selectFrom('alertSettings')
    .select(['conditions', 'namesContacts', 'creditsBelow'])
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  if (!found) return { conditions: [...alertConditions], namesContacts: false, creditsBelow: null }
  return { ...found, conditions: alertConditions.filter((one) => found.conditions.includes(one)) }
}

export async function writeSettings(tx: Tx, accountId: AccountId, settings: StoredSettings): Promise<void> {
  await tx
    .insertInto('alertSettings')
    .values({ accountId, ...settings })
    .onConflict((conflict) => conflict.column('accountId').doUpdateSet(settings))
    .execute()
}

/** Those that wait by now are not told: it was not wanted when they began to. A look goes back from `since`. */
export async function skipWaiting(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`
    insert into alert_states (account_id, condition, subject, since) values (${accountId}, 'waiting', '', now() + ${lookBack})
    on conflict (account_id, condition, subject) do update set since = excluded.since
  `.execute(tx)
}

/** Writes the events, in the transaction that notes what they tell. */
export async function enqueueAlerts(
  tx: Tx,
  alerts: { accountId: AccountId; id: EventId; payload: string }[],
): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(statement, [JSON.stringify(alerts)]))
}

const statement = `
with event as materialized (
  select g."accountId" as account_id, g.id, '${alertWebhook}'::text as receiver_id, null::text as contact_id, null::bigint as outgoing_seq,
    null::text as author, null::uuid as token, null::text as trace, g.payload
  from json_to_recordset($1) as g ("accountId" text, id text, payload text)
), ${enqueueEvents}
select account_id from enqueued
`

type ToldRow = { accountId: AccountId; subject: string; since: Date; url: string; info: Info | null }
type Info = Record<string, string | null>

/** For so long it must be over until that is told: what comes and goes every few seconds is told once. */
const settle = sql`interval '1 minute'`

/** When nothing proves that it works again, such as an address that was changed and not used, it is forgotten after this. */
const forget = sql`interval '1 hour'`

/** Looks a fact up for each state: to compare all states with all facts took seconds when thousands began at once. */
const stillHolds = ({ name, holds, rowOf }: Condition) => sql`(
  ${name} = any (a.conditions) and coalesce(${rowOf(holds)}, false)
)`

/**
 * Lets this transaction find rows by their keys. Of states that were written a moment ago PostgreSQL has no statistics,
 * and it read all of them for each account, which took more than the ten seconds of a statement when 5,000 began at
 * once.
 */
export async function findByKeys(tx: Tx): Promise<void> {
  await sql`set local enable_seqscan = off`.execute(tx)
}

/** Whether there is anybody to tell: on most servers there is not, and to look for all that could be told takes 20 statements. */
export async function isAnybodyTold(tx: Tx): Promise<boolean> {
  await findByKeys(tx)
  const { rows } = await sql`with ${alerting} select from alerting a limit 1`.execute(tx)
  return rows.length > 0
}

/** Notes what is the case and was not, or what is the case anew. In one order, so that two at once do not lock each other. */
export async function noteFacts(tx: Tx, condition: Condition): Promise<void> {
  const { name, join, holds, subject, since } = condition
  const isAnew = since === null ? sql`false` : sql`excluded.since > s.told_at`
  await sql`
    with ${alerting}
    insert into alert_states as s (account_id, condition, subject, since)
    select a.account_id, ${name}, ${subject}, ${since ?? sql`now()`}
    from alerting a ${join}
    where ${name} = any (a.conditions) and ${holds} and not exists (
      select from alert_states t
      where t.account_id = a.account_id and t.condition = ${name} and t.subject = ${subject} and t.over_since is null
        and ${since === null ? sql`true` : sql`(${since} > t.told_at) is not true`}
    )
    order by 1, 3
    on conflict (account_id, condition, subject) do update
    set over_since = null, since = case when ${isAnew} then excluded.since else s.since end,
      told_at = case when (${isAnew}) is not true then s.told_at end
  `.execute(tx)
}

/** Facts that are to be told now. Whoever returns one has locked it as told: no other transaction returns it. */
export async function takeUntold(tx: Tx, condition: Condition): Promise<ToldRow[]> {
  const { name, join, holds, subject, holdSeconds, info } = condition
  const { rows } = await sql<ToldRow>`
    with ${alerting}
    update alert_states s set told_at = now()
    from alerting a ${join}
    where ${name} = any (a.conditions) and ${holds} and s.account_id = a.account_id and s.condition = ${name} and s.subject = ${subject}
      and s.told_at is null and s.since <= now() - ${holdSeconds} * interval '1 s'
    returning s.account_id, s.subject, s.since, a.url, ${info} as info
  `.execute(tx)
  return rows
}

/** Notes what is not the case any more, and removes what is over. Returns those that were told and are known to be over. */
export async function takeEnded(tx: Tx, condition: Condition): Promise<ToldRow[]> {
  const { name, rowOf, info, isProven } = condition
  await sql`
    with ${alerting}
    update alert_states s set over_since = now()
    from alerting a
    where s.account_id = a.account_id and s.condition = ${name} and s.over_since is null
      and not ${stillHolds(condition)}
  `.execute(tx)
  const { rows } = await sql<ToldRow & { isKnown: boolean }>`
    with ${alerting}
    delete from alert_states s using alerting a
    where s.account_id = a.account_id and s.condition = ${name} and s.over_since is not null and (
      s.told_at is null or s.over_since <= now() - ${settle} and (${isProven}) or s.over_since <= now() - ${forget}
    ) and not ${stillHolds(condition)}
    returning s.account_id, s.subject, s.since, a.url,
      ${rowOf(info)} as info,
      s.told_at is not null and ${name} = any (a.conditions) and (${isProven}) as is_known
  `.execute(tx)
  return rows.filter(({ isKnown }) => isKnown)
}

/**
 * A conversation waits since the beginning of the transaction that says so, and none of ours takes so long: one that began
 * to wait before this is seen by now.
 */
const lookBack = sql`interval '1 minute'`

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

type AlertAddress = { url: string; namesContacts: boolean }

/**
 * Locks the account's row, so that one transaction at a time tells. Undefined: not now, because another one has just told, or
 * the account is not told any more.
 */
export async function lockWaiting(tx: Tx, accountId: AccountId): Promise<AlertAddress | undefined> {
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
  const { rows } = await sql<AlertAddress>`
    with ${alerting}
    select a.url, a.names_contacts from alerting a join alert_states w on w.account_id = a.account_id
    where a.account_id = ${accountId} and w.condition = 'waiting' and w.subject = '' and ${isFree}
      and 'waiting' = any (a.conditions)
  `.execute(tx)
  return rows[0]
}

/** A conversation that began to wait. It has the name only where the account wants it to be sent. */
export type WaitingRow = { contactId: string; since: Date; reason: string | null; name: string | null }

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
        case when ${withNames} then ${sql.raw(shownName('p'))} end as name
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
