import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

/** Counts, by campaign, its entries and how often something was asked that it could not answer. */
export async function countKnowledge(
  db: Db,
  accountId: AccountId,
): Promise<(campaignId: string) => { entries: number; unanswered: number }> {
  const entries = await db
    .selectFrom('entries')
    .select(({ fn }) => ['campaignId', fn.countAll().as('count')])
    .where('accountId', '=', accountId)
    .groupBy('campaignId')
    .execute()
  const unanswered = await db
    .selectFrom('unanswered')
    .select(({ fn }) => ['campaignId', fn.sum('times').as('count')])
    .where('accountId', '=', accountId)
    .groupBy('campaignId')
    .execute()
  const of = (rows: { campaignId: string; count: unknown }[], id: string) =>
    Number(rows.find(({ campaignId }) => campaignId === id)?.count ?? 0)
  return (id) => ({ entries: of(entries, id), unanswered: of(unanswered, id) })
}
