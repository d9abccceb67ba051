import type { EntryId } from '../../../platform/ids.ts'

/** How an entry was scored: by embedding, by character n-grams, or by words when there is no vector. */
export type Scoring = 'minilm' | 'ngrams' | 'words'

export type KnownEntry = {
  entryId: EntryId
  /** The first of its phrasings. */
  question: string
  answer: string
  /** After this answer a person takes over. */
  handsOver: boolean
}

export type RankedEntry = KnownEntry & {
  /** The score from 0 to 1, whatever the scoring: 0.5 means that the entry answers the question. */
  score: number
}

/** How much of a ranking is wanted: the best entries, without those that are too long for what is left of it. */
export type RankingLimit = { entries: number; characters: number }

/** `scoring` is that of the first entry. */
export type Ranking = { entries: RankedEntry[]; scoring: Scoring }
