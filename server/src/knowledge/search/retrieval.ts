import type { Db } from '../../platform/database/db.ts'
import type { EntryId } from '../../platform/ids.ts'
import type { CampaignRef } from '../entries/store.ts'
import { findEntries, readEntries, readVersion } from '../entries/store.ts'
import type { Embedder } from './embedder.ts'
import type { KnownEntry, Ranking } from './ranking.ts'
import type { IndexKey } from './thread-messages.ts'

/** Finds what a campaign knows about a question. */
export type Retrieval = {
  /** The nearest entries that are on, best first, at most five. `language` is the campaign's setting. */
  rank: (campaign: CampaignRef, question: string, language: string) => Promise<Ranking>
}

export type Knowledge = Retrieval & {
  /** What makes the vectors, with its version. */
  modelId: string
  /** These entries in this order, without those that are off or gone. */
  find: (campaign: CampaignRef, entryIds: EntryId[]) => Promise<KnownEntry[]>
}

/**
 * Ranks in the embedder's thread, which keeps the entries of the campaigns asked last. What is saved is found by the
 * next question: each one asks for the version of the campaign's knowledge, and the thread says if it has that.
 */
export function openRetrieval(db: Db, embedder: Embedder): Knowledge {
  const loading = new Map<string, Promise<void>>()

  async function load(campaign: CampaignRef, key: IndexKey): Promise<void> {
    let after = ''
    for (;;) {
      const entries = await readEntries(db, campaign, { after, limit: pageSize, model: embedder.modelId })
      const last = entries.at(-1)
      await embedder.keep({ key, entries, isFirst: after === '', isLast: last === undefined })
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
    rank: async (campaign, question, language) => {
      const version = await readVersion(db, campaign)
      if (version === 0) return { entries: [], scoring: 'words' } // it was taught nothing, and the model need not wake up
      const key = { campaign: `${campaign.accountId} ${campaign.campaignId}`, version }
      const request = { key, question: question.slice(0, longestQuestion), language }
      for (let attempt = 1; attempt <= 3; attempt++) {
        const ranking = await embedder.rank(request)
        if (ranking) return ranking
        await loadOnce(campaign, key)
      }
      throw new Error('the entries of a campaign were dropped before they could be ranked, three times')
    },
  }
}

/** Entries read at once: a few milliseconds of the event loop. */
const pageSize = 100

/** Time grows with length: a sentence takes 40 ms, so much 0.3 s, and questions wait for one another. */
const longestQuestion = 500
