import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import type { QuarterSums } from './quarter-store.ts'

/** Days that can be shown: the longest range and the same span before it, and some more in which nobody looks. */
export const daysKept = 190

/** The present, by the database; a test has another one. */
export const presentOf = (now: string | undefined) => sql`coalesce(${now ?? null}::timestamptz, now())`

/** Days to make anew, the newest first, up to `limit`; of these only those that can be shown are returned. */
export async function takeDirtyDays(
  tx: Tx,
  accountId: AccountId,
  { limit, now }: { limit: number; now: string | undefined },
): Promise<{ days: string[]; hasMore: boolean }> {
  const { rows } = await sql<{ day: string; isShown: boolean }>`
    delete from report_dirty_days d using (
      select w.day, w.day > (${presentOf(now)} at time zone r.zone)::date - ${daysKept}::integer as is_shown
      from report_dirty_days w join report_accounts r on r.account_id = ${accountId}
      where w.account_id = ${accountId} order by w.day desc limit ${limit}
    ) as w
    where d.account_id = ${accountId} and d.day = w.day
    returning w.day::text as day, w.is_shown
  `.execute(tx)
  return { days: rows.filter(({ isShown }) => isShown).map(({ day }) => day), hasMore: rows.length === limit }
}

/** The stored sums of a quarter; `spent` is a bigint of the database. */
export type QuarterRow = Omit<QuarterSums, 'quarter' | 'spent'> & { spent: string }

/**
 * The quarters of a day in the zone of the account. Which day a quarter belongs to is said by its local date: a day may
 * have 23 or 25 hours, or begin at 1:00.
 */
export async function readQuarters(tx: Tx, accountId: AccountId, day: string): Promise<QuarterRow[]> {
  const { rows } = await sql<QuarterRow>`
    select q.channel, q.messages_in, q.messages_out, q.by_bot, q.by_person, q.by_api, q.sent, q.failed, q.unanswered,
      q.spent, q.responses, q.delivery_ms, q.bot_keys::text[] as bot_keys, q.person_keys::text[] as person_keys,
      q.wish_keys::text[] as wish_keys, q.answer_keys::text[] as answer_keys, q.answer_marks::float8[] as answer_marks
    from report_quarters q join report_accounts r on r.account_id = ${accountId}
    where q.account_id = ${accountId} and q.quarter >= ${day}::timestamp at time zone 'UTC' - interval '1 day'
      and q.quarter < ${day}::timestamp at time zone 'UTC' + interval '2 days'
      and (q.quarter at time zone r.zone)::date = ${day}::date
  `.execute(tx)
  return rows
}

export type DayRow = Omit<
  QuarterRow,
  'spent' | 'responses' | 'deliveryMs' | `${'bot' | 'person' | 'wish' | 'answer'}Keys` | 'answerMarks'
> & {
  spent: number
  botConversations: number
  botResolved: number
  responses: Buffer
  deliveries: Buffer
}

export async function replaceDay(tx: Tx, accountId: AccountId, day: string, rows: DayRow[]): Promise<void> {
  await sql`delete from report_days where account_id = ${accountId} and day = ${day}::date`.execute(tx)
  const given = rows.map(({ responses, deliveries, ...row }) => ({
    ...row,
    responses: responses.toString('hex'),
    deliveries: deliveries.toString('hex'),
  }))
  await sql`
    insert into report_days (account_id, day, channel, messages_in, messages_out, by_bot, by_person, by_api, sent, failed,
      unanswered, spent, bot_conversations, bot_resolved, responses, deliveries)
    select ${accountId}, ${day}::date, g.channel, g."messagesIn", g."messagesOut", g."byBot", g."byPerson", g."byApi",
      g.sent, g.failed, g.unanswered, g.spent, g."botConversations", g."botResolved", decode(g.responses, 'hex'),
      decode(g.deliveries, 'hex')
    from json_to_recordset(${JSON.stringify(given)}) as g (
      channel integer, "messagesIn" integer, "messagesOut" integer, "byBot" integer, "byPerson" integer, "byApi" integer,
      sent integer, failed integer, unanswered integer, spent bigint, "botConversations" integer, "botResolved" integer,
      responses text, deliveries text
    )
  `.execute(tx)
}

/** Days that are not shown any more. Their quarters stay. */
export async function deleteOldDays(tx: Tx, accountId: AccountId, now: string | undefined): Promise<void> {
  await sql`
    delete from report_days where account_id = ${accountId}
      and day <= (
        select (${presentOf(now)} at time zone r.zone)::date from report_accounts r where r.account_id = ${accountId}
      )
        - ${daysKept}::integer
  `.execute(tx)
}

/** All days that can be shown are made anew, in the zone of the account now. */
export async function changeZone(tx: Tx, accountId: AccountId, now: string | undefined): Promise<void> {
  await sql`
    update report_accounts set zone = (select a.time_zone from accounts a where a.id = ${accountId}), caught_up_at = null
    where account_id = ${accountId}
  `.execute(tx)
  await sql`delete from report_days where account_id = ${accountId}`.execute(tx)
  await sql`delete from report_dirty_days where account_id = ${accountId}`.execute(tx)
  await sql`
    insert into report_dirty_days (account_id, day)
    select distinct ${accountId}, (q.quarter at time zone r.zone)::date
    from report_quarters q join report_accounts r on r.account_id = ${accountId}
    where q.account_id = ${accountId} and q.quarter > ${presentOf(now)} - ${daysKept} * interval '1 day'
  `.execute(tx)
}
