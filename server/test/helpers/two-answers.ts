import type { CampaignFile } from '@patchbay/contract/campaigns.ts'
import { importKnowledge } from '../../src/answers/knowledge/entries/import.ts'
import type { CampaignId } from '../../src/platform/ids.ts'
import { defaultCampaign, editCampaign, untilEmbedded } from './bots.ts'
import type { TestAccount, TestApp } from './harness.ts'

/** The bot knows two things that sound alike, so that it offers both. */
export async function teachHours(app: TestApp, account: TestAccount, settings: CampaignFile = {}): Promise<void> {
  const { accountId } = account
  const campaignId = (await defaultCampaign(app, account)) as CampaignId
  await editCampaign(app, campaignId, { introduction: null, fallbackText: 'No idea.', ...settings })
  const entries = [
    ['What are your opening hours on weekdays?', 'From 9 to 6.'],
    ['What are your opening hours at the weekend?', 'From 10 to 4.'],
  ].map(([question = '', answer = '']) => ({ questions: [question], answer }))
  await importKnowledge(app.db, { accountId, campaignId }, entries)
  await untilEmbedded(app)
}
