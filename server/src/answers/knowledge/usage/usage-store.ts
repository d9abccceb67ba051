import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import { deleteInBatches } from '../../../platform/database/prune.ts'
import type { CampaignRef } from '../entries/store.ts'

/** Uses of so many days are shown. */
const daysShown = 30

/** A campaign's first count begins where its uses are shown from. */
const firstMark = sql`date_trunc('day', now(), 'UTC') - ${daysShown} * interval '1 day'`

/**
 * The last minute is left out: `created_at` is the beginning of a transaction, and none of ours is open for so long
 * (decision 36).
 */
const countable = sql`now() - interval '1 minute'`

/** Campaigns with answers that are not counted yet, of all accounts. Each costs one look into an index. */
export async function findUncounted(db: Db): Promise<CampaignRef[]> {
  const { rows } = await sql<CampaignRef>`
    select c.account_id, c.id as campaign_id
    from campaigns c left join entry_use_marks k on k.account_id = c.account_id and k.campaign_id = c.id
    where (
      select true from answers a
      where a.account_id = c.account_id and a.campaign_id = c.id and a.message_id is not null
        and a.created_at >= coalesce(k.counted_to, ${firstMark}) and a.created_at < ${countable}
      limit 1
    )
  `.execute(db)
  return rows
}

/** Answers that one statement counts. */
const batchSize = 5_000

/**
 * Counts the next answers of a campaign. The row of the mark is locked and moved in the same statement, so none is counted
 * twice or left out, whatever dies or runs at once: while another process counts this campaign, nothing is done here.
 * True: there is more.
 */
export async function countUsage(db: Db, { accountId, campaignId }: CampaignRef): Promise<boolean> {
  await sql`
    insert into entry_use_marks (account_id, campaign_id, counted_to)
    select ${accountId}, ${campaignId}, ${firstMark} on conflict do nothing
  `.execute(db)
  const { rows } = await sql<{ hasMore: boolean }>`
    with mark as materialized (
      select counted_to from entry_use_marks where account_id = ${accountId} and campaign_id = ${campaignId}
      for update skip locked
    ), batch as materialized (
      select counted_to, least(${countable}, coalesce((
        select a.created_at from answers a
        where a.account_id = ${accountId} and a.campaign_id = ${campaignId} and a.message_id is not null
          and a.created_at >= counted_to
        order by a.created_at offset ${batchSize} limit 1
      ), 'infinity')) as until from mark
    ), counted as (
      insert into entry_uses (account_id, entry_id, day, times)
      select ${accountId}, s."entryId", (a.created_at at time zone 'UTC')::date, count(*)
      from batch b
      join answers a on a.account_id = ${accountId} and a.campaign_id = ${campaignId} and a.message_id is not null
        and a.created_at >= b.counted_to and a.created_at < b.until and a.outcome in ('answered', 'handed over')
      cross join jsonb_to_recordset(a.sources) as s ("entryId" text)
      join entries e on e.account_id = ${accountId} and e.campaign_id = ${campaignId} and e.id = s."entryId"
      group by 2, 3 order by 2, 3
      on conflict (account_id, entry_id, day) do update set times = entry_uses.times + excluded.times
    )
    update entry_use_marks k set counted_to = b.until from batch b
    where k.account_id = ${accountId} and k.campaign_id = ${campaignId} and b.until > b.counted_to
    returning b.until < ${countable} as has_more
  `.execute(db)
  return rows[0]?.hasMore ?? false
}

/** Deletes the counts of days that are not shown any more. */
export async function pruneUsage(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    (limit) => sql`
      delete from entry_uses where (account_id, entry_id, day) in (
        select account_id, entry_id, day from entry_uses
        where day < (now() at time zone 'UTC')::date - ${daysShown}::integer order by day limit ${limit}
      )
    `,
  )
}
