import type { AccountId, CampaignId, EntryId } from '../platform/ids.ts'

export type CampaignRef = { accountId: AccountId; campaignId: CampaignId }

/** How a score came about: by meaning, by runs of letters, or (weights missing) by words. */
export type Scoring = 'minilm' | 'ngrams' | 'words'

export type RankedEntry = {
  entryId: EntryId
  /** The first of its phrasings. */
  question: string
  answer: string
  /** After this answer a person takes over. */
  handsOver: boolean
  /** From 0 to 1, whatever the scoring: 0.5 means that the entry answers the question. */
  score: number
}

export type Ranking = { entries: RankedEntry[]; scoring: Scoring }

/** Finds what a campaign knows about a question. */
export type Retrieval = {
  /** The nearest entries that are on, best first, at most five. */
  rank: (campaign: CampaignRef, question: string) => Promise<Ranking>
}
