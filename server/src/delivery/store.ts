import { type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import { statusesBefore } from '../messages/status.ts'
import type { DeliveryError } from '../messages/store.ts'
import {
  breaksAfter,
  type EventKind,
  type LeasedEvent,
  leaseSeconds,
  receiverColumns,
  standsInLine,
} from '../outbox/owe-events.ts'
import type { Db } from '../platform/db.ts'
import type { AccountId } from '../platform/ids.ts'

export type Receiver = { accountId: AccountId; kind: EventKind }

/** Of so many receivers that something waits for, it is asked at once whether their time has come. */
const lookedAt = 1_000

/**
 * Finds receivers that something is due for, beginning after the given one. It leaps from one to the next, so that it
 * does not matter how much waits for each. `next`: where to go on, or undefined at the end.
 */
export async function findDueReceivers(
  db: Db,
  after: Receiver | undefined,
): Promise<{ due: Receiver[]; next: Receiver | undefined }> {
  const following = (accountId: RawBuilder<unknown>, kind: RawBuilder<unknown>) => sql`
    select account_id, kind, due_at from deliveries
    where due_at is not null and (account_id, kind) > (${accountId}, ${kind})
    order by account_id, kind, due_at limit 1`
  const { rows } = await sql<Receiver & { isDue: boolean }>`
    with recursive receiver as (
      (select 1 as n, f.* from (${following(sql`${after?.accountId ?? ''}`, sql`${after?.kind ?? ''}`)}) as f)
      union all
      select r.n + 1, f.*
      from receiver r cross join lateral (${following(sql`r.account_id`, sql`r.kind`)}) as f
      where r.n < ${lookedAt}
    )
    select account_id, kind, due_at <= now() as is_due from receiver
  `.execute(db)
  const due = rows.filter(({ isDue }) => isDue).map(({ accountId, kind }) => ({ accountId, kind }))
  return { due, next: rows.length < lookedAt ? undefined : rows.at(-1) }
}

/**
 * For each that may leave, so many are looked at, those that are due first. Each stands for its conversation, whose
 * first in line may leave; so something leaves, however many of one conversation wait.
 */
const consideredForEach = 16

/**
 * Leases what is due for these receivers, for each up to its room. For one that failed too often it is one event, and
 * for all processes together, when it is time to ask whether it is back.
 */
export async function claimDue(pool: Pool, receivers: (Receiver & { room: number })[]): Promise<LeasedEvent[]> {
  const query = { name: 'claim-deliveries', text: claim, values: [JSON.stringify(receivers)] }
  const leasedAt = performance.now()
  const { rows } = await pool.query<Omit<LeasedEvent, 'leasedAt'>>(query)
  return rows.map((event) => ({ ...event, leasedAt }))
}

const claim = `
with asked as materialized (
  select * from json_to_recordset($1) as a ("accountId" text, kind text, room integer)
), probing as (
  update endpoints e set probe_at = now() + interval '${leaseSeconds} s'
  from asked a
  where e.account_id = a."accountId" and e.kind = a.kind
    and e.failures_in_row >= ${breaksAfter} and e.probe_at <= now() and e.paused_at is null
  returning e.account_id, e.kind
), receiver as materialized (
  select a."accountId" as account_id, a.kind, ${receiverColumns}, b.account_id is not null as is_probe,
    case when e.failures_in_row >= ${breaksAfter} and e.paused_at is null
      then case when b.account_id is not null then 1 else 0 end else a.room end as room
  from asked a
  left join endpoints e on e.account_id = a."accountId" and e.kind = a.kind
  left join probing b on b.account_id = e.account_id and b.kind = e.kind
), chosen as materialized (
  select r.*, c.id
  from receiver r cross join lateral (
    select d.id from deliveries d
    where d.account_id = r.account_id and coalesce(d.due_at, 'infinity') <= now()
      and (d.leased_until is null or d.leased_until < now())
      and d.id = any (array(
        select distinct coalesce((
          select q.id from deliveries q
          where q.account_id = w.account_id and q.contact_id = w.contact_id and ${standsInLine('q')}
          order by q.outgoing_seq
          limit 1
        ), w.id)
        from (
          select account_id, id, contact_id from deliveries
          where account_id = r.account_id and kind = r.kind and due_at <= now()
            and (leased_until is null or leased_until < now())
          order by due_at, id
          limit ${consideredForEach} * r.room
        ) as w
      ))
    order by d.due_at, d.id
    limit r.room
    for update skip locked
  ) as c
)
update deliveries d
set lease_token = gen_random_uuid(), leased_until = now() + interval '${leaseSeconds} s'
from chosen c
where d.account_id = c.account_id and d.id = c.id
returning d.account_id as "accountId", d.id, d.kind, d.contact_id as "contactId", d.outgoing_seq as "outgoingSeq",
  d.author, d.payload, d.attempts, d.lease_token as token, c.url, c.secret, c."oldSecret", c."isPaused",
  c.is_probe as "isProbe"
`

/** What an attempt came to, to be written down under its lease. */
export type Settlement = Receiver & {
  id: string
  token: string
  status: 'Sent' | 'Failed'
  error: DeliveryError | undefined
  /** Undefined: it is not tried again by itself. */
  dueInSeconds: number | undefined
  /** Left out when the receiver was not asked. */
  made: { url: string; durationMs: number } | undefined
  /** The receiver is to blame: too many of these in a row, and it is spared. */
  isFailure: boolean
  isGone: boolean
  isProbe: boolean
}

/** `isOurs`: the lease still held. `hasMore`: more is due for the same receiver. */
export type Settled = { isOurs: boolean; hasMore: boolean }

/** Settles any number of attempts in one statement; in the order given. */
export async function settle(pool: Pool, settlements: Settlement[]): Promise<Settled[]> {
  const given = settlements.map(({ error, made, ...settlement }) => ({ ...settlement, ...error, ...made }))
  const values = [JSON.stringify(given), statusesBefore('Sent'), statusesBefore('Failed')]
  const { rows } = await pool.query<{ id: string; hasMore: boolean }>({ name: 'settle', text: settling, values })
  const found = new Map(rows.map(({ id, hasMore }) => [id, hasMore]))
  return settlements.map(({ id }) => ({ isOurs: found.has(id), hasMore: found.get(id) ?? false }))
}

const longestTrying = '24 hours'
const pausedAfter = '5 days'

/**
 * The conditions that seem to say nothing, such as the contact of a message that its id has found, keep the one plan
 * that is made from choosing an index that grows.
 *
 * What failed because of an address or a pause that has changed since is due at once. Whoever is changing either at this
 * moment is waited for, or waits for us and then finds what we have written.
 *
 * Nothing is written for a lease that was lost. A message that arrived stays arrived, whatever comes later. When a
 * receiver is back that had failed too often, everything that waits for it may leave.
 */
const settling = `
with given as materialized (
  select * from json_to_recordset($1) as g (
    "accountId" text, kind text, id text, token uuid, status text, category text, "httpStatus" integer, detail text,
    "dueInSeconds" float8, url text, "durationMs" float8, "isFailure" boolean, "isGone" boolean, "isProbe" boolean
  )
), failing as materialized (
  select e.account_id, e.kind, e.url, e.paused_at
  from (select distinct "accountId", kind from given where status = 'Failed') as g
  join endpoints e on e.account_id = g."accountId" and e.kind = g.kind
  for no key update of e
), settled as (
  update deliveries d
  set lease_token = null, leased_until = null, attempts = d.attempts + case when g.url is null then 0 else 1 end,
    first_attempt_at = case when g.url is null then d.first_attempt_at else coalesce(d.first_attempt_at, now()) end,
    last_attempt_at = case when g.url is null then d.last_attempt_at else now() end,
    due_at = case when d.first_attempt_at < now() - interval '${longestTrying}' then null
      when g.status = 'Failed' and exists (
        select from failing e where e.account_id = d.account_id and e.kind = d.kind
          and (e.url <> g.url or g.category = 'endpoint_paused' and e.paused_at is null)
      ) then now()
      else now() + g."dueInSeconds" * interval '1 s' end,
    error_category = g.category, error_http_status = g."httpStatus", error_detail = g.detail
  from given g
  where d.account_id = g."accountId" and d.id = g.id and d.lease_token = g.token
  returning d.account_id, d.id, d.kind, d.contact_id, d.attempts, g.status, g.category, g."httpStatus", g.detail,
    g.url, g."durationMs", g."isFailure", g."isGone", g."isProbe"
), told as (
  update messages m set status = s.status, sent_at = case when s.status = 'Sent' then now() end
  from settled s
  where s.kind = 'reply' and m.account_id = s.account_id and m.id = s.id and m.contact_id = s.contact_id
    and m.status = any (case s.status when 'Sent' then $2::text[] else $3::text[] end)
), logged as (
  insert into delivery_attempts
    (account_id, delivery_id, n, url, duration_ms, error_category, error_http_status, error_detail)
  select account_id, id, attempts, split_part(url, '?', 1), "durationMs", category, "httpStatus", detail from settled where url is not null
), news as materialized (
  select account_id, kind, url, bool_or(status = 'Sent') as is_back, count(*) filter (where "isFailure") as failures,
    bool_or("isProbe") as is_probe, bool_or("isGone") as is_gone
  from settled where url is not null group by account_id, kind, url
), judged as (
  update endpoints e
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
  from news n
  where e.account_id = n.account_id and e.kind = n.kind and e.url = n.url and (n.failures > 0 or n.is_gone or n.is_back and (
    e.failures_in_row > 0 or e.gone_at is not null or e.last_success_at is null
    or e.last_success_at < now() - interval '1 minute'
  ))
), back as materialized (
  select n.account_id, n.kind
  from news n join endpoints e on e.account_id = n.account_id and e.kind = n.kind and e.url = n.url
  where n.is_back and e.failures_in_row >= ${breaksAfter}
), hurried as (
  update deliveries d set due_at = now() from back b
  where exists (select from back) and d.account_id = b.account_id and d.kind = b.kind and d.due_at > now()
    and d.lease_token is null and d.id not in (select id from settled)
), more as materialized (
  select array(
    select r.account_id || ' ' || r.kind
    from (select distinct account_id, kind from settled) as r
    where exists (select from back b where b.account_id = r.account_id and b.kind = r.kind) or (
      select true from deliveries q
      where q.account_id = r.account_id and q.kind = r.kind and q.due_at <= now()
        and (q.leased_until is null or q.leased_until < now())
      order by q.due_at
      limit 1
    ) is not null
  ) as hungry
)
select s.id, s.account_id || ' ' || s.kind = any ((select hungry from more)::text[]) as "hasMore"
from settled s
`

/** How many replies have failed and are not tried again by themselves. */
export async function countUndelivered(db: Db, { accountId, kind }: Receiver): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from deliveries d
    where account_id = ${accountId} and kind = ${kind} and due_at is null and error_category is not null
  `.execute(db)
  return rows[0]?.n ?? 0
}
