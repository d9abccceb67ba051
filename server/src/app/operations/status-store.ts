import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'

/** Counts of pending work in the whole installation. */
export type Status = {
  accounts: number
  /** Replies the bot owes; those of them that wait for credits; how many seconds the most overdue one is late. */
  pendingReplies: number
  answersParked: number
  answersOverdueSeconds: number
  /** Webhook events to deliver, and how many seconds the most overdue one is late. */
  eventsOwed: number
  eventsOverdueSeconds: number
  receiversInTrouble: number
  filesToFetch: number
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
  const overdue = sql`greatest(0, extract(epoch from now() - min(due_at)))::integer`
  const { rows } = await sql<Status>`
    select
      (select count(*)::integer from accounts) as accounts,
      t.pending_replies, t.answers_parked, coalesce(t.overdue, 0) as answers_overdue_seconds,
      d.events_owed, coalesce(d.overdue, 0) as events_overdue_seconds,
      (select count(*)::integer from endpoints
        where kind <> 'simulator' and (failures_in_row > 0 or paused_at is not null)) as receivers_in_trouble,
      (select count(*)::integer from attachments where due_at is not null) as files_to_fetch,
      (select count(*)::integer from entry_texts where model is null) as texts_to_embed,
      (select count(*)::integer from conversations where waiting_since is not null and state = 'open') as conversations_waiting,
      ${searchBehind} as search_behind_seconds,
      (select count(*)::integer from search_backfills) as accounts_to_backfill,
      (select ledger_checked_at from installation) as ledger_checked_at,
      (select ledger_breaches from installation) as ledger_breaches
    from (
      select count(*)::integer as pending_replies, count(parked_units)::integer as answers_parked, ${overdue} as overdue
      from turns
    ) as t, (
      select count(*)::integer as events_owed, ${overdue} as overdue from deliveries where due_at is not null
    ) as d
  `.execute(db)
  const [status] = rows
  if (!status) throw new Error('PostgreSQL returned no row')
  return status
}

/** Only conversations with activity since the time up to which all are searchable are compared. */
const searchBehind = sql`coalesce((
  select greatest(0, extract(epoch from now() - min(m.created_at)))::integer
  from accounts a cross join lateral (
    select c.account_id, c.contact_id, coalesce(k.seq, 0) as seq
    from conversations c left join search_marks k on k.account_id = c.account_id and k.contact_id = c.contact_id
    where c.account_id = a.id and c.state in ('open', 'snoozed', 'closed') and c.last_seq > coalesce(k.seq, 0)
      and c.active_minute >= coalesce((select searched_to from installation), '-infinity')
  ) as d cross join lateral (
    select created_at from messages
    where account_id = d.account_id and contact_id = d.contact_id and seq > d.seq order by seq limit 1
  ) as m
), 0)`
