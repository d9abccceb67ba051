import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, CampaignId } from '../../platform/ids.ts'

/** A campaign whose knowledge changed since its unanswered questions were last retried. */
export type ChangedCampaign = {
  accountId: AccountId
  campaignId: CampaignId
  knowledgeVersion: number
  settings: Partial<CampaignSettings>
}

export async function findChangedCampaign(db: Db): Promise<ChangedCampaign | undefined> {
  const { rows } = await sql<ChangedCampaign>`
    select account_id, id as campaign_id, knowledge_version, settings
    from campaigns where knowledge_version <> unanswered_version
    limit 1
  `.execute(db)
  return rows[0]
}

export async function markRetried(db: Db, { accountId, campaignId, knowledgeVersion }: ChangedCampaign): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({ unansweredVersion: knowledgeVersion })
    .where('accountId', '=', accountId)
    .where('id', '=', campaignId)
    .execute()
}

/** A page of wordings in the order of their ids, starting after the id `after`. */
export async function readWordings(
  db: Db,
  { accountId, campaignId }: ChangedCampaign,
  { after, limit }: { after: string; limit: number },
): Promise<{ id: string; question: string }[]> {
  return db
    .selectFrom('unanswered')
    .select(['id', 'question'])
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}
