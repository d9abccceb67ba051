import { sql } from 'kysely'
import type { Db, Tx } from '../platform/db.ts'
import type { AccountId, CampaignId } from '../platform/ids.ts'
import { bytesOf, vectorOf } from './store.ts'

type Campaign = { accountId: AccountId; campaignId: CampaignId }

/** Counts a question that is here already; false: it is not. */
export async function countAgain(tx: Tx, { accountId, campaignId }: Campaign, question: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('unanswered')
    .set({ times: sql`times + 1`, lastAt: sql`now()` })
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .where('question', '=', question)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export type Grouped = { groupId: string; vector: Float32Array }

/** The questions asked last that have a vector of this model, with their groups. */
export async function readLatest(
  tx: Tx,
  { accountId, campaignId }: Campaign,
  { model, limit }: { model: string; limit: number },
): Promise<Grouped[]> {
  const { rows } = await sql<{ groupId: string; vector: Buffer }>`
    select group_id, vector from unanswered
    where account_id = ${accountId} and campaign_id = ${campaignId} and model = ${model}
    order by last_at desc
    limit ${limit}
  `.execute(tx)
  return rows.map(({ groupId, vector }) => ({ groupId, vector: vectorOf(vector) }))
}

export type NewUnanswered = {
  question: string
  groupId: string
  vector: { model: string; values: Float32Array } | null
}

/** Keeps a question; when someone else just kept the same one, counts it. */
export async function insertUnanswered(
  tx: Tx,
  { accountId, campaignId }: Campaign,
  { question, groupId, vector }: NewUnanswered,
): Promise<void> {
  const [model, bytes] = vector ? [vector.model, bytesOf(vector.values)] : [null, null]
  await tx
    .insertInto('unanswered')
    .values({ accountId, campaignId, question, groupId, model, vector: bytes })
    .onConflict((conflict) =>
      conflict
        .columns(['accountId', 'campaignId', 'question'])
        .doUpdateSet({ times: sql`unanswered.times + 1`, lastAt: sql`now()` }),
    )
    .execute()
}

export type UnansweredGroup = {
  groupId: string
  times: number
  lastAt: Date
  /** Each wording once, the most frequent first. */
  questions: { question: string; times: number }[]
}

/** The groups asked most, and of each the wordings asked most. */
export async function readGroups(
  db: Db,
  { accountId, campaignId }: Campaign,
  { groups, questions }: { groups: number; questions: number },
): Promise<UnansweredGroup[]> {
  const { rows } = await sql<Omit<UnansweredGroup, 'times'> & { times: string }>`
    with wordings as (
      select group_id, question, times, last_at,
        row_number() over (partition by group_id order by times desc, last_at desc, question) as place
      from unanswered
      where account_id = ${accountId} and campaign_id = ${campaignId}
    )
    select group_id, sum(times) as times, max(last_at) as last_at,
      json_agg(json_build_object('question', question, 'times', times) order by place)
        filter (where place <= ${questions}) as questions
    from wordings
    group by group_id
    order by sum(times) desc, max(last_at) desc, group_id
    limit ${groups}
  `.execute(db)
  return rows.map((row) => ({ ...row, times: Number(row.times) }))
}
