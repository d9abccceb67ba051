import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId, sayUnknown } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type CampaignRow, findCampaignOf } from './store.ts'

/** Refuses an id that is none of the account's campaigns. */
export async function requireCampaign(db: Db, accountId: AccountId, campaignId: string): Promise<CampaignRow> {
  const row = isId('cmp', campaignId) ? await findCampaignOf(db, accountId, campaignId) : undefined
  if (!row) throw new Refusal('NOT_FOUND', sayUnknown('campaign', 'cmp', campaignId))
  return row
}
