import type { ReportRange } from '@patchbay/contract/report-ranges.ts'
import { sql } from 'kysely'
import { isChannelId, messageWebhook } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { type DayRow, daysKept, presentOf } from '../sums/day-store.ts'
import { noChannel } from '../sums/quarter-store.ts'

export type ReportedAccount = {
  timeZone: string
  today: string
  isMetered: boolean
  /** The day since when a day that ends without an answer is not resolved; null: all days are counted so. */
  missesSince: string | null
  /** How much is counted, in percent; null: all of it. */
  counting: number | null
}

/**
 * Where counting is behind, conversations are counted by their activity, the oldest first; then the days are made, the
 * newest first.
 */
export async function readReportedAccount(db: Db, accountId: AccountId, now?: string): Promise<ReportedAccount> {
  const { rows } = await sql<ReportedAccount>`
    select a.time_zone, ((${presentOf(now)} at time zone a.time_zone)::date)::text as today,
      a.kind = 'subaccount' as is_metered, ((r.misses_since at time zone a.time_zone)::date)::text as misses_since,
      case when r.caught_up_at is not null and r.zone = a.time_zone then null
        when r.account_id is null then 0
        when exists (select from report_dirty_days d where d.account_id = ${accountId}) and r.counted_to > now() - interval '5 minutes'
        then greatest(50, 100 - (
          select count(*) from report_dirty_days d where d.account_id = ${accountId}
        ) * 50 / ${daysKept})::integer
        else floor(50 * least(1, greatest(0, extract(epoch from greatest(r.counted_to, r.began_at) - r.began_at)
          / greatest(1, extract(epoch from now() - r.began_at)))))::integer
      end as counting
    from accounts a left join report_accounts r on r.account_id = ${accountId}
    where a.id = ${accountId}
  `.execute(db)
  const [account] = rows
  if (!account) throw new Error(`there is no account ${accountId}`)
  return account
}

export type ShownDay = Omit<DayRow, 'spent'> & { day: string; spent: string }

/** Days of the range and the span before it: of one channel; or of all together, and in the range also by channel. */
export async function readDays(
  db: Db,
  accountId: AccountId,
  { range, today, channel }: { range: ReportRange; today: string; channel: number | undefined },
): Promise<ShownDay[]> {
  const days = Number(range)
  const isWanted =
    channel === undefined
      ? sql`(channel = ${noChannel} or day > ${today}::date - ${days}::integer)`
      : sql`channel = ${channel}`
  const { rows } = await sql<ShownDay>`
    select day::text as day, channel, messages_in, messages_out, by_bot, by_person, by_api, sent, failed, unanswered, spent,
      bot_conversations, bot_resolved, responses, deliveries
    from report_days
    where account_id = ${accountId} and day > ${today}::date - ${2 * days}::integer and day <= ${today}::date and ${isWanted}
    order by day
  `.execute(db)
  return rows
}

/** The labels of the numbers; null: forgotten. */
export async function readLabels(db: Db, accountId: AccountId): Promise<Map<number, string | null>> {
  const { rows } = await sql<{ id: number; label: string | null }>`
    select id, label from report_channels where account_id = ${accountId} order by id
  `.execute(db)
  return new Map(rows.map(({ id, label }) => [id, label]))
}

/** Beyond this it is only said that there are more. */
const mostPending = 1_000

/** Messages that are to be delivered at this moment. */
export async function countPending(db: Db, accountId: AccountId, label: string | undefined): Promise<number> {
  const isBuiltIn = label !== undefined && isChannelId(label)
  const ofChannel =
    label === undefined || isBuiltIn
      ? sql``
      : sql`join messages m on m.account_id = ${accountId} and m.id = d.id and coalesce(m.channel, 'custom') = ${label}`
  // A built-in channel is a receiver by its own id.
  const receivers = isBuiltIn
    ? sql`array[${label}]`
    : sql`array[${sql.lit(messageWebhook)}] ${label === undefined ? sql`|| array(select id from channels where account_id = ${accountId})` : sql``}`
  const { rows } = await sql<{ pending: number }>`
    select count(*)::integer as pending from (
      select from deliveries d ${ofChannel}
      where d.account_id = ${accountId} and d.receiver_id = any (${receivers}) and d.due_at is not null limit ${mostPending}
    ) as pending
  `.execute(db)
  return rows[0]?.pending ?? 0
}

type OpenQuestions = { times: number; groups: number; largest: number; campaignId: string }

/** Questions that no campaign could answer until now. */
export async function sumQuestions(db: Db, accountId: AccountId): Promise<OpenQuestions | null> {
  const { rows } = await sql<OpenQuestions>`
    with groups as (
      select campaign_id, sum(times)::integer as times from unanswered
      where account_id = ${accountId} group by campaign_id, group_id
    )
    select campaign_id, times as largest, (select sum(times)::integer from groups) as times,
      (select count(*)::integer from groups) as groups
    from groups order by groups.times desc, campaign_id limit 1
  `.execute(db)
  return rows[0] ?? null
}
