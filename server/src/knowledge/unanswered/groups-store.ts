import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, CampaignId } from '../../platform/ids.ts'

type Campaign = { accountId: AccountId; campaignId: CampaignId }

export type UnansweredGroup = {
  groupId: string
  times: number
  lastAt: Date
  /** The score of the entry that is nearest to one of them, where that is known. */
  nearest: number | null
  /** Each wording once, the most frequent first. */
  questions: { question: string; times: number }[]
}

/** The groups that were asked most often, each with its most frequent wordings. */
export async function readGroups(
  db: Db,
  { accountId, campaignId }: Campaign,
  { groups, questions }: { groups: number; questions: number },
): Promise<UnansweredGroup[]> {
  const { rows } = await sql<Omit<UnansweredGroup, 'times'> & { times: string }>`
    with wordings as (
      select group_id, question, times, last_at, nearest,
        row_number() over (partition by group_id order by times desc, last_at desc, question) as rank
      from unanswered
      where account_id = ${accountId} and campaign_id = ${campaignId}
    )
    select group_id, sum(times) as times, max(last_at) as last_at, max(nearest) as nearest,
      json_agg(json_build_object('question', question, 'times', times) order by rank)
        filter (where rank <= ${questions}) as questions
    from wordings
    group by group_id
    order by sum(times) desc, max(last_at) desc, group_id
    limit ${groups}
  `.execute(db)
  return rows.map((row) => ({ ...row, times: Number(row.times) }))
}
