import { type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import {
  breaksAfter,
  isQueued,
  type LeasedEvent,
  leaseSeconds,
  receiverColumns,
} from '../../../outbox/enqueue-events.ts'
import type { Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { hasFailed } from '../../messages/status-store.ts'

/** How many receivers with waiting events one query checks for due ones. */
const scannedAtOnce = 1_000

/** Whether there may be an event to deliver. */
export const mayDeliver = 'exists (select from deliveries where due_at is not null)'

/** `isFailing`: the last attempt of any process failed. */
export type DueReceiver = Receiver & { isFailing: boolean }

/** `since`: none of its open events is due before. */
type OpenReceiver = Receiver & { since: string }

/** A part of all receivers that have open events. `next`: where to go on, or undefined at the end. */
export type Scanned = {
  due: DueReceiver[]
  open: OpenReceiver[]
  /** Receivers of which it found no open event have none that is due before. */
  scannedAt: string
  next: Receiver | undefined
}

/**
 * How much later than its beginning a transaction may commit, so that an event becomes visible that was due before others that
 * were seen. One that takes longer is found by the next scan.
 */
const commitsWithin = `interval '1 s'`

/**
 * Finds receivers with due events, beginning after the given one; but none whose circuit breaker is open and whose next
 * probe is not due, unless a person waits for an attempt. The query skips from one receiver to the next in the index, so
 * that its cost does not depend on how many events each of them has. It does pass the entries of those that were settled and
 * cannot be cleaned up yet, because a long transaction may still see them.
 */
export async function findDueReceivers(db: Db, after: Receiver | undefined): Promise<Scanned> {
  const following = (accountId: RawBuilder<unknown>, receiverId: RawBuilder<unknown>) => sql`
    select account_id, receiver_id, due_at from deliveries
    where due_at is not null and (account_id, receiver_id) > (${accountId}, ${receiverId})
    order by account_id, receiver_id, due_at limit 1`
  type Row = DueReceiver & OpenReceiver & { isDue: boolean; scannedAt: string }
  const { rows } = await sql<Row | { accountId: null; scannedAt: string }>`
    with recursive receiver as (
      (select 1 as n, f.* from (${following(sql`${after?.accountId ?? ''}`, sql`${after?.receiverId ?? ''}`)}) as f)
      union all
      select r.n + 1, f.*
      from receiver r cross join lateral (${following(sql`r.account_id`, sql`r.receiver_id`)}) as f
      where r.n < ${scannedAtOnce}
    )
    select r.account_id, r.receiver_id, coalesce(e.failures_in_row > 0, false) as is_failing,
      r.due_at <= now() and (
        (e.failures_in_row >= ${breaksAfter} and e.paused_at is null and e.probe_at > now()) is not true
        or ${sql.raw(isAskedFor('r'))}
      ) as is_due,
      (least(r.due_at, now()) - ${sql.raw(commitsWithin)})::text as since,
      (now() - ${sql.raw(commitsWithin)})::text as scanned_at
    from (select) as one left join receiver r on true
    left join receivers e on e.account_id = r.account_id and e.id = r.receiver_id
    order by r.n
  `.execute(db)
  const open = rows.filter((row) => row.accountId !== null)
  const due = open.filter(({ isDue }) => isDue)
  const scannedAt = rows[0]?.scannedAt ?? '-infinity' // there is always a row
  return { due, open, scannedAt, next: open.length < scannedAtOnce ? undefined : open.at(-1) }
}

/**
 * For each event that may be leased, the query considers this many: the earliest due, and if there are more, as many of
 * the latest. Each stands for its conversation, whose first queued event may be sent. So something is sent however many
 * events of one conversation wait, and they do not delay the reply to another contact.
 */
const consideredForEach = 8

/**
 * Leases due events of these receivers, for each up to its budget, and first those for which a person waits; these have been
 * tried before, so the order of their conversation does not bind them. While a receiver's circuit breaker is open, only they
 * are leased, and else all processes together one event, as a probe, when the next probe is due. It looks at nothing that was due
 * before `since`, which is why it does not pass the entries of all that was settled since a long transaction began.
 */
export async function claimDue(
  pool: Pool,
  receivers: (OpenReceiver & { budget: number })[],
  { besideChannels = false } = {},
): Promise<LeasedEvent[]> {
  const name = besideChannels ? 'claim-deliveries-beside-channels' : 'claim-deliveries'
  const query = prepared(statements, name, [JSON.stringify(receivers)])
  const leasedAt = performance.now()
  const { rows } = await pool.query<Omit<LeasedEvent, 'leasedAt'>>(query)
  return rows.map((event) => ({ ...event, leasedAt }))
}

/** Whether the receiver `r` has an event, due since `since`, that no process has leased. */
export const isMoreDue = (r: string, { since, id = 'receiver_id' }: { since: string; id?: string }) => `(
      select true from deliveries q
      where q.account_id = ${r}.account_id and q.receiver_id = ${r}.${id} and q.due_at between ${since} and now()
        and (q.leased_until is null or q.leased_until < now())
      order by q.due_at
      limit 1
    ) is not null`

/** The due events of the receiver `r` for which a person waits and which no process has leased. */
const askedFor = (r: string, id = 'receiver_id') => `
        select q.id from deliveries q
        where q.account_id = ${r}.account_id and q.receiver_id = ${r}.${id} and q.asked = 'now' and q.due_at <= now()
          and (q.leased_until is null or q.leased_until < now())`

/** Whether a person waits for an attempt at the receiver `r`. */
const isAskedFor = (r: string, id = 'receiver_id') => `exists (${askedFor(r, id)})`

type End = 'asc' | 'desc'

/** The events to consider of the row `r` of the CTE `receiver`, from one end of those that are due. */
const considered = (order: End) => `
            select account_id, id, contact_id from deliveries
            where account_id = r.account_id and receiver_id = r.receiver_id and due_at between r.since and now()
              and (leased_until is null or leased_until < now())
            order by due_at ${order}, id ${order}
            limit ${consideredForEach} * r.in_line`

/** Of so many it is looked up whether they wait for an event of another receiver. */
const lookedThrough = 1_000

/**
 * The same, without those that wait for an event of another receiver: where somebody is on a built-in channel and elsewhere too, a
 * conversation has events of both, in one line.
 */
const consideredOfOne = (order: End) => `
            select w.account_id, w.id, w.contact_id from (
              select account_id, id, contact_id, due_at from deliveries
              where account_id = r.account_id and receiver_id = r.receiver_id and due_at between r.since and now()
                and (leased_until is null or leased_until < now())
              order by due_at ${order}, id ${order}
              limit ${lookedThrough}
            ) as w
            where coalesce((
              select q.receiver_id from deliveries q
              where q.account_id = w.account_id and q.contact_id = w.contact_id and ${isQueued('q')}
              order by q.outgoing_seq
              limit 1
            ), r.receiver_id) = r.receiver_id
            order by w.due_at ${order}, w.id ${order}
            limit ${consideredForEach} * r.in_line`

const claim = (considered: (order: End) => string) => `
with requested as materialized (
  select * from json_to_recordset($1) as a ("accountId" text, "receiverId" text, budget integer, since timestamptz)
), probing as (
  update receivers e set probe_at = now() + interval '${leaseSeconds} s'
  from requested a
  where e.account_id = a."accountId" and e.id = a."receiverId"
    and e.failures_in_row >= ${breaksAfter} and e.probe_at <= now() and e.paused_at is null
    and ${isMoreDue('e', { since: 'a.since', id: 'id' })} and not ${isAskedFor('e', 'id')}
  returning e.account_id, e.id as receiver_id
), receiver as materialized (
  select a."accountId" as account_id, a."receiverId" as receiver_id, ${receiverColumns}, b.account_id is not null as is_probe,
    a.budget, a.since, case when (e.failures_in_row >= ${breaksAfter} and e.paused_at is null) is not true then a.budget
      when b.account_id is not null then 1 else 0 end as in_line
  from requested a
  left join receivers e on e.account_id = a."accountId" and e.id = a."receiverId"
  left join probing b on b.account_id = e.account_id and b.receiver_id = e.id
), chosen as materialized (
  select r.*, c.id
  from receiver r cross join lateral (
    select d.id from deliveries d
    where d.account_id = r.account_id and coalesce(d.due_at, 'infinity') <= now()
      and (d.leased_until is null or d.leased_until < now())
      and d.id = any (array(
        (${askedFor('r')}
        order by q.due_at limit r.budget)
        union
        select coalesce((
          select q.id from deliveries q
          where q.account_id = w.account_id and q.contact_id = w.contact_id and ${isQueued('q')}
          order by q.outgoing_seq
          limit 1
        ), w.id)
        from (
          with early as materialized (${considered('asc')})
          select * from early
          union all
          select * from (${considered('desc')}) as late
          where (select count(*) from early) = ${consideredForEach} * r.in_line
        ) as w
      ))
    order by d.asked = 'now' desc nulls last, d.due_at, d.id
    limit case when r.is_probe then 1 else r.budget end
    for update skip locked
  ) as c
)
update deliveries d
set lease_token = gen_random_uuid(), leased_until = now() + interval '${leaseSeconds} s'
from chosen c
where d.account_id = c.account_id and d.id = c.id
returning d.account_id as "accountId", d.id, d.receiver_id as "receiverId", d.contact_id as "contactId", d.outgoing_seq as "outgoingSeq",
  d.author, d.payload, d.trace, d.attempts, d.asked_attempts as "askedAttempts", d.asked, d.lease_token as token,
  c.url, c.secret, c."oldSecret", c."isPaused", c.is_probe as "isProbe"
`

export const statements = {
  'claim-deliveries': claim(considered),
  /** For a process that has seen a built-in channel. */
  'claim-deliveries-beside-channels': claim(consideredOfOne),
}

/** Ends leases early, without an attempt: any process with a free slot may claim the events. A probe is due at once. */
export async function endLeases(db: Db, events: LeasedEvent[]): Promise<void> {
  const given = events.map(({ accountId, receiverId, id, token, isProbe }) => ({
    accountId,
    receiverId,
    id,
    token,
    isProbe,
  }))
  await sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(given)})
        as g ("accountId" text, "receiverId" text, id text, token uuid, "isProbe" boolean)
    ), ended as (
      update deliveries d set lease_token = null, leased_until = null
      from given g
      where d.account_id = g."accountId" and d.id = g.id and d.lease_token = g.token
      returning d.account_id, d.receiver_id, g."isProbe"
    )
    update receivers e set probe_at = now()
    from ended
    where ended."isProbe" and e.account_id = ended.account_id and e.id = ended.receiver_id and e.probe_at is not null
  `.execute(db)
}

/** How many replies have failed and are not retried automatically. */
export async function countUndelivered(db: Db, { accountId, receiverId }: Receiver): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from deliveries d
    where account_id = ${accountId} and receiver_id = ${receiverId} and due_at is null and ${sql.raw(hasFailed('d'))}
  `.execute(db)
  return rows[0]?.n ?? 0
}
