import { sql } from 'kysely'
import { isHeld } from '../../journey/channels/store.ts'
import { breaksAfter } from '../../outbox/enqueue-events.ts'
import { isSaved } from '../../outbox/receivers.ts'
import type { Db } from '../../platform/database/db.ts'

/** Jobs are counted up to here: an index with so many takes some 20 ms, whatever else is in the table. */
const mostCounted = 100_000

/** Receivers with waiting events that are looked at for the oldest one. */
const mostReceivers = 10_000

type Queue =
  | 'turns'
  | 'turns_without_credits'
  | 'deliveries'
  | 'deliveries_to_failing'
  | 'fetches'
  | 'imports'
  | 'broadcasts'

export type QueueState = { queue: Queue; jobs: number; overdueSeconds: number }

/**
 * How many jobs each queue has, and for how long the oldest one has been due. Every count and every search for the oldest
 * follows an index that has only waiting jobs, so the cost does not depend on how many messages there are.
 *
 * Events for a receiver whose circuit breaker is open wait for the receiver, not for us: they are a queue of their own.
 */
export async function readQueues(db: Db): Promise<QueueState[]> {
  const { rows } = await sql<QueueState>`
    with recursive ${waitingReceivers}
    select 'turns' as queue, ${count(sql`turns where parked_units is null`)} as jobs, ${overdue(sql`least(
      (select due_at from turns where lease_token is null order by due_at limit 1),
      (select min(leased_until) from turns where lease_token is not null and leased_until < now())
    )`)} as overdue_seconds
    union all
    select 'turns_without_credits', ${count(sql`turns where parked_units is not null and lease_token is null`)}, 0
    union all
    select case when is_open then 'deliveries_to_failing' else 'deliveries' end,
      coalesce((select jobs from counted_event c where c.is_open = state.is_open), 0), ${overdue(sql`min(due_at)`)}
    from (values (true), (false)) as state (is_open) left join receiver_state using (is_open)
    group by is_open
    union all
    select 'fetches', ${count(sql`attachments where due_at is not null`)}, ${overdue(sql`
      (select due_at from attachments where due_at is not null order by due_at limit 1)
    `)}
    union all
    select 'imports', count(*)::integer, ${overdue(sql`
      min(greatest(created_at, started_at, served_at)) filter (where leased_until < now())
    `)}
    from imports where state in ('reading', 'checking', 'running')
    union all
    select 'broadcasts', coalesce(sum(left_to_make), 0)::integer, ${overdue(sql`min(due_at)`)}
    from (${activeBroadcasts}) as active
  `.execute(db)
  return rows
}

const count = (rows: ReturnType<typeof sql>) =>
  sql`(select count(*)::integer from (select from ${rows} limit ${mostCounted}) as counted)`

const overdue = (since: ReturnType<typeof sql>) =>
  sql`coalesce(greatest(0, extract(epoch from now() - ${since})), 0)::float8`

const isOpen = sql`coalesce(e.failures_in_row >= ${breaksAfter}, false) as is_open`

/**
 * Skips through the index from one receiver with waiting events to the next. Reads no other CTE. Gives `receiver`,
 * `receiver_state` and `counted_event`; `with` must be `recursive`.
 */
const waitingReceivers = sql`
    receiver as (
      (select 1 as n, account_id, receiver_id, due_at from deliveries where due_at is not null
        order by account_id, receiver_id, due_at limit 1)
      union all
      select r.n + 1, f.* from receiver r cross join lateral (
        select account_id, receiver_id, due_at from deliveries
        where due_at is not null and (account_id, receiver_id) > (r.account_id, r.receiver_id)
        order by account_id, receiver_id, due_at limit 1
      ) as f
      where r.n < ${mostReceivers}
    ), receiver_state as (
      select r.due_at, ${isOpen}
      from receiver r left join receivers e on e.account_id = r.account_id and e.id = r.receiver_id
    ), counted_event as materialized (
      select ${isOpen}, count(*)::integer as jobs
      from (select account_id, receiver_id from deliveries where due_at is not null limit ${mostCounted}) as d
      left join receivers e on e.account_id = d.account_id and e.id = d.receiver_id
      group by is_open
    )`

/**
 * How many messages each is yet to make, and since when the next one is due. One whose receiver can take nothing waits for
 * the receiver.
 */
const activeBroadcasts = sql`
      select recipients - open - sent - failed - opted_out - no_id - erased - no_address - id_taken as left_to_make,
        case when state = 'preparing' then created_at
          when waiting_since is null then paced_at + interval '1 minute' / rate_per_minute end as due_at
      from broadcasts where state in ('preparing', 'running')`

export type ReceiverState = 'healthy' | 'failing' | 'open' | 'paused'

/** Receivers by state of their circuit breaker. There is one row for each receiver, so all are read. */
export async function countReceivers(db: Db): Promise<{ state: ReceiverState; receivers: number }[]> {
  const { rows } = await sql<{ state: ReceiverState; receivers: number }>`
    select state, count(id)::integer as receivers
    from (values ('healthy'), ('failing'), ('open'), ('paused')) as every (state) left join (
      select id, case when paused_at is not null then 'paused' when failures_in_row >= ${breaksAfter} then 'open'
        when failures_in_row > 0 then 'failing' else 'healthy' end as state
      from receivers where ${sql.raw(isSaved('id'))}
    ) as e using (state)
    group by state
  `.execute(db)
  return rows
}

export type ChannelState = 'connecting' | 'working' | 'attention' | 'paused' | 'held'

/** Built-in channels by kind and what they are; no kind that nobody has connected. One row for each channel, so all are read. */
export async function countChannels(db: Db): Promise<{ kind: string; state: ChannelState; channels: number }[]> {
  const { rows } = await sql<{ kind: string; state: ChannelState; channels: number }>`
    select kind, ${channelState} as state, count(*)::integer as channels from channels c where c.state <> 'removed' group by 1, 2
  `.execute(db)
  return rows
}

/** What keeps everything else from mattering comes first: a copy that is held, then what somebody has to do, then a pause. */
const channelState = sql`case when ${sql.raw(isHeld('c'))} then 'held' when c.state = 'attention' then 'attention'
  when c.paused_at is not null then 'paused' else c.state end`

export async function readDatabaseSize(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`.execute(db)
  return Number(rows[0]?.bytes)
}

export type MaintenanceState = {
  firstStartedAt: number
  backedUpAt: number | null
  /** Whether the backup failed; null where none was to be made by the server, nor ever was. */
  backupFailed: boolean | null
  ledgerCheckedAt: number | null
  ledgerBreaches: number | null
}

/**
 * When it was first started, last backed up and its ledger last checked, in seconds since 1970, and what the check found. Never
 * in the future, where a clock that was ahead may have put it: no age is negative.
 */
export async function readLastDone(db: Db): Promise<MaintenanceState | undefined> {
  const { rows } = await sql<MaintenanceState>`
    select extract(epoch from least(created_at, now()))::float8 as first_started_at,
      case when backed_up_at is not null then extract(epoch from least(backed_up_at, now())) end::float8 as backed_up_at,
      case when backed_up_at is not null or backup_failed_at is not null then backup_failed_at is not null end
        as backup_failed,
      extract(epoch from ledger_checked_at)::float8 as ledger_checked_at, ledger_breaches
    from installation
  `.execute(db)
  return rows[0]
}

/** Whether the last file of the write-ahead log could not be archived; undefined where nothing is archived. */
export async function isArchiveFailing(db: Db): Promise<boolean | undefined> {
  const { rows } = await sql<{ isFailing: boolean }>`
    select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as is_failing
    from pg_stat_archiver where current_setting('archive_mode') <> 'off'
  `.execute(db)
  return rows[0]?.isFailing
}
