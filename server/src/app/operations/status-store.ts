import { sql } from 'kysely'
import { activeSince } from '../../journey/messages/activity-store.ts'
import type { Db } from '../../platform/database/db.ts'
import { type ChannelState, countChannels, countReceivers, type QueueState, readQueues } from './queue-store.ts'

/** Counts of pending work in the whole installation. Those of queues are exact up to 100,000, and that if there are more. */
export type Status = Rest & {
  /** Replies the bot owes; those of them that wait for credits; how many seconds the most overdue one is late. */
  pendingReplies: number
  answersParked: number
  answersOverdueSeconds: number
  /** Webhook events to deliver, and how many seconds the most overdue one is late. */
  eventsOwed: number
  eventsOverdueSeconds: number
  receiversInTrouble: number
  /** Built-in channels that need somebody, and those that are held because this is a restored copy. */
  channelsInTrouble: number
  channelsHeld: number
  filesToFetch: number
}

/** What is in no queue. */
type Rest = {
  accounts: number
  textsToEmbed: number
  conversationsWaiting: number
  /** Since when the oldest message that is not searchable yet waits; accounts whose older messages are being added. */
  searchBehindSeconds: number
  accountsToBackfill: number
  /** When the ledger was last checked, and how many violations were found; null: never. */
  ledgerCheckedAt: Date | null
  ledgerBreaches: number | null
}

/**
 * Rows that were ever written, as PostgreSQL counts them: the difference of two looks is what happened in between. Where
 * little happens, it counts up to ten seconds late.
 */
export type Activity = { messages: number; events: number; answers: number }

export async function readActivity(db: Db): Promise<Activity> {
  const { rows } = await sql<{ table: string; written: string }>`
    select relname as table, n_tup_ins as written from pg_stat_user_tables
    where relname in ('messages', 'deliveries', 'answers') and schemaname = current_schema()
  `.execute(db)
  const writtenTo = (table: string) => Number(rows.find((row) => row.table === table)?.written ?? 0)
  return { messages: writtenTo('messages'), events: writtenTo('deliveries'), answers: writtenTo('answers') }
}

export async function readStatus(db: Db): Promise<Status> {
  const queues = await readQueues(db)
  const receivers = await countReceivers(db)
  const channels = await countChannels(db)
  const { accounts, ...rest } = await readRest(db)
  const of = (...names: QueueState['queue'][]) => queues.filter(({ queue }) => names.includes(queue))
  return {
    accounts,
    pendingReplies: countJobs(of('turns', 'turns_without_credits')),
    answersParked: countJobs(of('turns_without_credits')),
    answersOverdueSeconds: longestOverdue(of('turns')),
    eventsOwed: countJobs(of('deliveries', 'deliveries_to_failing')),
    eventsOverdueSeconds: longestOverdue(of('deliveries', 'deliveries_to_failing')),
    receiversInTrouble: receivers.reduce((sum, one) => sum + (one.state === 'healthy' ? 0 : one.receivers), 0),
    channelsInTrouble: countIn(channels, 'attention'),
    channelsHeld: countIn(channels, 'held'),
    filesToFetch: countJobs(of('fetches')),
    ...rest,
  }
}

function countIn(channels: Awaited<ReturnType<typeof countChannels>>, state: ChannelState): number {
  return channels.reduce((sum, one) => sum + (one.state === state ? one.channels : 0), 0)
}

function countJobs(queues: QueueState[]): number {
  return queues.reduce((sum, { jobs }) => sum + jobs, 0)
}

function longestOverdue(queues: QueueState[]): number {
  return Math.floor(Math.max(...queues.map(({ overdueSeconds }) => overdueSeconds)))
}

async function readRest(db: Db): Promise<Rest> {
  const { rows } = await sql<Rest>`
    select
      (select count(*)::integer from accounts) as accounts,
      (select count(*)::integer from entry_texts where model is null) as texts_to_embed,
      (select count(*)::integer from conversations where waiting_since is not null and state = 'open') as conversations_waiting,
      ${searchBehind} as search_behind_seconds,
      (select count(*)::integer from search_backfills) as accounts_to_backfill,
      (select ledger_checked_at from installation) as ledger_checked_at,
      (select ledger_breaches from installation) as ledger_breaches
  `.execute(db)
  const [rest] = rows
  if (!rest) throw new Error('PostgreSQL returned no row')
  return rest
}

/** Only conversations with activity since the time up to which all are searchable are compared. */
const searchBehind = sql`coalesce((
  select greatest(0, extract(epoch from now() - min(m.created_at)))::integer
  from accounts a cross join lateral (
    select c.account_id, c.contact_id, coalesce(k.seq, 0) as seq
    from conversations c left join search_marks k on k.account_id = c.account_id and k.contact_id = c.contact_id
    where c.account_id = a.id and c.state in ('open', 'snoozed', 'closed') and c.last_seq > coalesce(k.seq, 0)
      and ${activeSince(sql`coalesce((select searched_to from installation), '-infinity')`)}
  ) as d cross join lateral (
    select created_at from messages
    where account_id = d.account_id and contact_id = d.contact_id and seq > d.seq order by seq limit 1
  ) as m
), 0)`
