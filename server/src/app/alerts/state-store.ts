import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { alerting } from './alerting-store.ts'
import type { Condition } from './fact-store.ts'

export type ToldRow = { accountId: AccountId; subject: string; since: Date; url: string; info: Info | null }
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
