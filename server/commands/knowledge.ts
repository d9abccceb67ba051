import { knownCampaign } from '../src/answers/campaigns/save.ts'
import { listEntries } from '../src/answers/knowledge/entries/entry-store.ts'
import { deleteEntry } from '../src/answers/knowledge/entries/save-entry.ts'
import { countEntries } from '../src/answers/knowledge/entries/store.ts'
import type { Run } from './declarations.ts'
import { readCount } from './shared/read-count.ts'

const most = 5_000

export const knowledgeShow: Run<'knowledge show'> = ({ withDatabase }, { campaign, limit: text = '100', after = '' }) =>
  withDatabase(async (db) => {
    const limit = readCount('limit', text, most)
    const { accountId, id: campaignId } = await knownCampaign(db, campaign)
    const entries = await listEntries(db, { accountId, campaignId }, { after, limit })
    const total = await countEntries(db, { accountId, campaignId })
    return { campaignId, total, next: entries.length === limit ? (entries.at(-1)?.entryId ?? null) : null, entries }
  })

export const knowledgeDelete: Run<'knowledge delete'> = ({ withDatabase }, { campaign, entry }) =>
  withDatabase(async (db) => {
    const { accountId, id: campaignId } = await knownCampaign(db, campaign)
    await deleteEntry(db, { accountId, campaignId }, entry)
    return { campaignId, deleted: entry }
  })
