import { knownCampaign } from '../src/campaigns/save.ts'
import { deleteEntry } from '../src/knowledge/entries/delete-entry.ts'
import { listEntries } from '../src/knowledge/entries/entry-store.ts'
import { countEntries } from '../src/knowledge/entries/store.ts'
import { command } from './shared/command.ts'
import { readCount } from './shared/read-count.ts'

const most = 5_000

export const knowledgeShow = command({
  summary: "list a campaign's questions and answers, oldest first; pass `next` as --after for the next page",
  required: ['campaign'],
  optional: ['limit', 'after'],
  run: ({ withDatabase }, { campaign, limit: text = '100', after = '' }) =>
    withDatabase(async (db) => {
      const limit = readCount('limit', text, most)
      const { accountId, id: campaignId } = await knownCampaign(db, campaign)
      const entries = await listEntries(db, { accountId, campaignId }, { after, limit })
      const total = await countEntries(db, { accountId, campaignId })
      return { campaignId, total, next: entries.length === limit ? (entries.at(-1)?.entryId ?? null) : null, entries }
    }),
})

export const knowledgeDelete = command({
  summary: "delete an entry of a campaign's questions and answers; the bot stops using it at once",
  required: ['campaign', 'entry'],
  run: ({ withDatabase }, { campaign, entry }) =>
    withDatabase(async (db) => {
      const { accountId, id: campaignId } = await knownCampaign(db, campaign)
      await deleteEntry(db, { accountId, campaignId }, entry)
      return { campaignId, deleted: entry }
    }),
})
