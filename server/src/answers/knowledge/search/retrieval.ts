/**
 * The search: ranks the entries of a campaign by how well they answer a question. Scoring runs in the embedder's
 * thread, so that the event loop never waits for it.
 */
import { randomUUID } from 'node:crypto'
import type { Db } from '../../../platform/database/db.ts'
import type { EntryId } from '../../../platform/ids.ts'
import { type AskedCampaign, type CampaignRef, findEntries, readEntries, readVersion } from '../entries/store.ts'
import type { Embedder } from './embedder.ts'
import type { KnownEntry, Ranking, RankingLimit } from './ranking.ts'
import type { IndexKey } from './thread-messages.ts'

export type Retrieval = {
  /**
   * The nearest entries that are on, best first: five, or as many as there is room for. `language` is the campaign's
   * setting.
   */
  rank: (campaign: AskedCampaign, question: string, language: string, limit?: RankingLimit) => Promise<Ranking>
}

export type Knowledge = Retrieval & {
  /** The embedding model, with its version. */
  modelId: string
  /** These entries in this order, without those that are off or gone. */
  find: (campaign: CampaignRef, entryIds: EntryId[]) => Promise<KnownEntry[]>
}

/**
 * The thread caches the entries of the campaigns that were asked last. Saved changes count from the next question on:
 * each question comes with the version of the campaign's knowledge or reads it, and entries of another version are
 * loaded again.
 */
export function openRetrieval(db: Db, embedder: Embedder): Knowledge {
  const loading = new Map<string, Promise<void>>()

  async function load(campaign: CampaignRef, key: IndexKey): Promise<void> {
    const id = randomUUID()
    let after = ''
    for (;;) {
      const entries = await readEntries(db, campaign, { after, limit: pageSize, model: embedder.modelId })
      const last = entries.at(-1)
      await embedder.keep({ key, load: id, entries, isFirst: after === '', isLast: last === undefined })
      if (last === undefined) return
      after = last.entryId
    }
  }

  function loadOnce(campaign: CampaignRef, key: IndexKey): Promise<void> {
    const name = `${key.campaign} ${key.version}`
    const running = loading.get(name) ?? load(campaign, key).finally(() => loading.delete(name))
    loading.set(name, running)
    return running
  }

  return {
    modelId: embedder.modelId,
    find: (campaign, entryIds) => findEntries(db, campaign, entryIds),
    rank: async (campaign, question, language, limit = fiveEntries) => {
      const version = campaign.knowledgeVersion ?? (await readVersion(db, campaign))
      if (version === 0) return { entries: [], scoring: 'words' } // no entries yet, so the model need not be loaded
      const key = { campaign: `${campaign.accountId} ${campaign.campaignId}`, version }
      const request = { key, question: question.slice(0, longestQuestion), language, limit }
      for (let attempt = 1; attempt <= 3; attempt++) {
        const ranking = await embedder.rank(request)
        if (ranking) return ranking
        await loadOnce(campaign, key)
      }
      throw new Error('the entries of a campaign were evicted from the cache before they could be ranked, three times')
    },
  }
}

export const fiveEntries: RankingLimit = { entries: 5, characters: Number.POSITIVE_INFINITY }

/** Entries per query: it blocks the event loop for a few milliseconds. */
const pageSize = 100

/**
 * The length in characters. The time grows with the length: 20 ms for a sentence, 0.1 s for this, and questions run one
 * by one.
 */
const longestQuestion = 500
