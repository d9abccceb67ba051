import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, CampaignId } from '../../../platform/ids.ts'

/** A campaign whose knowledge changed since its unanswered questions were last retried. */
export type ChangedCampaign = {
  accountId: AccountId
  campaignId: CampaignId
  knowledgeVersion: number
  settings: Partial<CampaignSettings>
}

/** Whether there may be a changed campaign. */
export const mayRetry = 'exists (select from campaigns where knowledge_version <> unanswered_version)'

/**
 * The next changed campaign after `servedLast`, so that all take turns. It waits until the texts of its account have
 * vectors of the model, not for those of others; without a model it waits for none.
 */
export async function findChangedCampaign(
  db: Db,
  { model, servedLast = '' }: { model?: string | undefined; servedLast?: string | undefined } = {},
): Promise<ChangedCampaign | undefined> {
  const isReady =
    model === undefined
      ? sql`true`
      : sql`not exists (select from entry_texts t where t.account_id = c.account_id and t.model is null)
          and not exists (select from entry_texts t where t.model < ${model} or t.model > ${model})`
  const { rows } = await sql<ChangedCampaign>`
    select account_id, id as campaign_id, knowledge_version, settings
    from campaigns c where knowledge_version <> unanswered_version and ${isReady}
    order by id <= ${servedLast}, id limit 1
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
    .select(['id', sql<string>`coalesce(asked, question)`.as('question')])
    .where('accountId', '=', accountId)
    .where('campaignId', '=', campaignId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}
