import type { OutgoingStatus } from '@patchbay/contract/api/messages.ts'
import { CompiledQuery } from 'kysely'
import type { Pool, QueryConfig } from 'pg'
import { breaksAfter } from '../../../outbox/enqueue-events.ts'
import type { Receiver } from '../../../outbox/receivers.ts'
import type { Tx } from '../../../platform/database/db.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import type { DeliveryError } from '../../messages/store.ts'
import { isMoreDue } from '../claim/store.ts'

/** The outcome of an attempt, to be stored while its lease holds. */
export type Settlement = Receiver & {
  id: string
  token: string
  status: Exclude<OutgoingStatus, 'Waiting'>
  error: DeliveryError | undefined
  /** The wait for the next attempt; undefined: it is not retried automatically. */
  dueInSeconds: number | undefined
  /** The request; undefined when none was made. */
  made: { url: string; durationMs: number } | undefined
  /** The receiver's fault: too many of these in a row open its circuit breaker. */
  isFailure: boolean
  isGone: boolean
  isProbe: boolean
  /** None of the receiver's open events is due before, as far as this process knows. */
  since: string
}

/** `isOurs`: the lease still held. `hasMore`: more events are due for the same receiver. */
export type SettleResult = { isOurs: boolean; hasMore: boolean }

/**
 * Settles any number of events that arrived at their first attempt, in one statement; results in the order given. It
 * can do no more than that, and costs a third less than `settle`. Events that it returns as not ours must go to
 * `settle`: the receiver's row must be updated too, or the lease is lost.
 */
export async function settleArrived(pool: Pool, settlements: Settlement[]): Promise<SettleResult[]> {
  const given = settlements.map(({ accountId, receiverId, id, token, since, made }) => ({
    accountId,
    receiverId,
    id,
    token,
    since,
    ...made,
  }))
  return settleAll(pool, prepared(statements, 'settle-arrived', [JSON.stringify(given)]), settlements)
}

/** Settles any number of attempts in one statement; results in the order given. */
export async function settle(pool: Pool, settlements: Settlement[]): Promise<SettleResult[]> {
  const given = settlements.map(({ error, made, ...settlement }) => ({ ...settlement, ...error, ...made }))
  return settleAll(pool, prepared(statements, 'settle', [JSON.stringify(given)]), settlements)
}

/** Settles one attempt as part of a transaction. */
export async function settleWithin(tx: Tx, { error, made, ...settlement }: Settlement): Promise<SettleResult> {
  const given = JSON.stringify([{ ...settlement, ...error, ...made }])
  const { rows } = await tx.executeQuery<{ hasMore: boolean }>(CompiledQuery.raw(settling, [given]))
  return { isOurs: rows.length > 0, hasMore: rows[0]?.hasMore ?? false }
}

async function settleAll(pool: Pool, query: QueryConfig, settlements: Settlement[]): Promise<SettleResult[]> {
  const { rows } = await pool.query<{ id: string; hasMore: boolean }>(query)
  const settled = new Map(rows.map(({ id, hasMore }) => [id, hasMore]))
  return settlements.map(({ id }) => ({ isOurs: settled.has(id), hasMore: settled.get(id) ?? false }))
}

/** The row of the receiver `e` says healthy, with a success in the last minute: another success changes nothing. */
const isKnownHealthy = `e.failures_in_row = 0 and e.gone_at is null
    and e.last_success_at >= now() - interval '1 minute'`

const settlingArrived = `
with given as materialized (
  select * from json_to_recordset($1) as g (
    "accountId" text, "receiverId" text, id text, token uuid, since timestamptz, url text, "durationMs" integer
  )
), settled as (
  update deliveries d
  set lease_token = null, leased_until = null, due_at = null, attempts = d.attempts + 1,
    first_attempt_at = now(), last_attempt_at = now(), sent_at = coalesce(d.sent_at, now()),
    last_url = split_part(g.url, '?', 1), last_duration_ms = g."durationMs",
    error_category = null, error_http_status = null, error_detail = null
  from given g join receivers e on e.account_id = g."accountId" and e.id = g."receiverId" and e.url = g.url
  where d.account_id = g."accountId" and d.id = g.id and d.lease_token = g.token and ${isKnownHealthy}
  returning d.account_id, d.id, d.receiver_id, g.since
), more as materialized (
  select array(
    select r.account_id || ' ' || r.receiver_id
    from (select account_id, receiver_id, min(since) as since from settled group by account_id, receiver_id) as r
    where ${isMoreDue('r', { since: 'r.since' })}
  ) as receivers
)
select s.id, s.account_id || ' ' || s.receiver_id = any ((select receivers from more)::text[]) as "hasMore"
from settled s
`

const retriesEndAfter = '24 hours'
const pausedAfter = '5 days'

/**
 * Moves the attempt before this one from the delivery to the log, as it was when the statement began: no other process
 * changes it while the lease holds.
 *
 * An event that failed because of an address or a pause that has changed since is due at once. The row lock orders this
 * statement and a concurrent change of the address: whichever comes second sees what the first wrote.
 *
 * After an attempt that a person asked for, the next one by itself is due when it would have been without it, also when
 * attempts by themselves would have ended meanwhile: only one by itself ends them.
 *
 * Nothing is written for a lost lease. A message that arrived stays Sent, whatever later attempts return; sending it
 * again makes one attempt without retries. When a success closes the circuit breaker, all waiting events are due at
 * once.
 */
const settling = `
with given as materialized (
  select * from json_to_recordset($1) as g (
    "accountId" text, "receiverId" text, id text, token uuid, since timestamptz, status text, category text, "httpStatus" integer, detail text,
    "dueInSeconds" float8, url text, "durationMs" integer, "isFailure" boolean, "isGone" boolean, "isProbe" boolean
  )
), failing as materialized (
  select e.account_id, e.id, e.url, e.paused_at
  from (select distinct "accountId", "receiverId" from given where status = 'Failed') as g
  join receivers e on e.account_id = g."accountId" and e.id = g."receiverId"
  for no key update of e
), settled as (
  update deliveries d
  set lease_token = null, leased_until = null, attempts = d.attempts + case when g.url is null then 0 else 1 end,
    asked_attempts = d.asked_attempts + case when g.url is null or d.asked is null then 0 else 1 end,
    asked = null, own_due_at = null,
    first_attempt_at = case when g.url is null then d.first_attempt_at else coalesce(d.first_attempt_at, now()) end,
    last_attempt_at = case when g.url is null then d.last_attempt_at else now() end,
    last_url = split_part(g.url, '?', 1), last_duration_ms = g."durationMs",
    sent_at = coalesce(d.sent_at, case when g.status = 'Sent' then now() end),
    due_at = case when d.sent_at is not null or g.status = 'Sent' then null
      when d.asked is null and d.first_attempt_at < now() - interval '${retriesEndAfter}' then null
      when g.status = 'Failed' and exists (
        select from failing e where e.account_id = d.account_id and e.id = d.receiver_id
          and (e.url <> g.url or g.category = 'endpoint_paused' and e.paused_at is null)
      ) then now()
      when d.asked is not null then d.own_due_at
      else now() + g."dueInSeconds" * interval '1 s' end,
    error_category = g.category, error_http_status = g."httpStatus", error_detail = g.detail
  from given g
  where d.account_id = g."accountId" and d.id = g.id and d.lease_token = g.token
  returning d.account_id, d.id, d.receiver_id, g.since, g.status, g.url, g."isFailure", g."isGone", g."isProbe"
), logged as (
  insert into delivery_attempts
    (account_id, delivery_id, n, at, url, duration_ms, error_category, error_http_status, error_detail)
  select b.account_id, b.id, b.attempts, b.last_attempt_at, b.last_url, b.last_duration_ms, b.error_category,
    b.error_http_status, b.error_detail
  from settled s join deliveries b on b.account_id = s.account_id and b.id = s.id
  where b.last_url is not null
), result as materialized (
  select account_id, receiver_id, url, bool_or(status = 'Sent') as is_back, count(*) filter (where "isFailure") as failures,
    bool_or("isProbe") as is_probe, bool_or("isGone") as is_gone
  from settled where url is not null group by account_id, receiver_id, url
), updated as (
  update receivers e
  set failures_in_row = case when n.is_back then 0 else e.failures_in_row + n.failures end,
    failing_since = case when n.is_back then null else coalesce(e.failing_since, now()) end,
    last_success_at = case when n.is_back then now() else e.last_success_at end,
    gone_at = case when n.is_back then null when n.is_gone then now() else e.gone_at end,
    paused_at = case when not n.is_back and e.failing_since < now() - interval '${pausedAfter}'
      then coalesce(e.paused_at, now()) else e.paused_at end,
    probe_wait_seconds = case when n.is_back or e.failures_in_row < ${breaksAfter} then 1
      when n.is_probe then least(2 * e.probe_wait_seconds, 60) else e.probe_wait_seconds end,
    probe_at = case when n.is_back or e.failures_in_row + n.failures < ${breaksAfter} then null
      when e.failures_in_row < ${breaksAfter} then now() + interval '1 s'
      when n.is_probe then now() + least(2 * e.probe_wait_seconds, 60) * interval '1 s' else e.probe_at end
  from result n
  where e.account_id = n.account_id and e.id = n.receiver_id and e.url = n.url
    and (n.failures > 0 or n.is_gone or n.is_back and (${isKnownHealthy}) is not true)
), back as materialized (
  select n.account_id, n.receiver_id
  from result n join receivers e on e.account_id = n.account_id and e.id = n.receiver_id and e.url = n.url
  where n.is_back and e.failures_in_row >= ${breaksAfter}
), made_due as (
  update deliveries d set due_at = now() from back b
  where exists (select from back) and d.account_id = b.account_id and d.receiver_id = b.receiver_id and d.due_at > now()
    and d.lease_token is null and d.id not in (select id from settled)
), more as materialized (
  select array(
    select r.account_id || ' ' || r.receiver_id
    from (select account_id, receiver_id, min(since) as since from settled group by account_id, receiver_id) as r
    where exists (select from back b where b.account_id = r.account_id and b.receiver_id = r.receiver_id)
      or ${isMoreDue('r', { since: 'r.since' })}
  ) as receivers
)
select s.id, s.account_id || ' ' || s.receiver_id = any ((select receivers from more)::text[]) as "hasMore"
from settled s
`

export const statements = { 'settle-arrived': settlingArrived, settle: settling }
