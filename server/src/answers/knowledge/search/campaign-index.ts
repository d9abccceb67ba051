import type { StoredEntry, StoredText } from '../entries/store.ts'
import { isEnglish } from './language.ts'
import type { KnownEntry, RankedEntry, Ranking, RankingLimit, Scoring } from './ranking.ts'
import { correctSpelling, type Dictionary, type Vocabulary, vocabularyOf } from './spelling.ts'
import { buildTfIdf, characterNgrams, similarities, type TfIdfIndex, wordStems } from './tf-idf.ts'

/** The entries of a campaign, prepared for scoring. Only the embedder's thread has one. */
export type CampaignIndex = {
  entries: IndexedEntry[]
  texts: StoredText[]
  vocabulary: Vocabulary
  /** The indexes are built when first needed: most campaigns never need them. */
  tfIdf: { ngrams?: TfIdfIndex; words?: TfIdfIndex }
}

/** Its texts in the index are `from` (the answer) up to, not including, `to`. */
type IndexedEntry = KnownEntry & { isEnglish: boolean | undefined; isEmbedded: boolean; from: number; to: number }

type Question = {
  question: string
  /** The campaign's setting: a language tag, or `auto`. */
  language: string
  /** Embeds a text; undefined: the weights could not be loaded. */
  embed: ((text: string) => Promise<Float32Array>) | undefined
  dictionary: Dictionary
  limit: RankingLimit
}

export function indexOf(stored: StoredEntry[]): CampaignIndex {
  let count = 0
  const entries = stored.map(({ entryId, handsOver, texts }): IndexedEntry => {
    const [answer = '', question = ''] = texts.map(({ text }) => text)
    const from = count
    count += texts.length
    return {
      entryId,
      handsOver,
      question,
      answer,
      from,
      to: count,
      isEnglish: isEnglish(texts.map(({ text }) => text).join('\n')),
      isEmbedded: texts.every(({ vector }) => vector !== null),
    }
  })
  const texts = stored.flatMap((entry) => entry.texts)
  return { entries, texts, vocabulary: vocabularyOf(texts.map(({ text }) => text)), tfIdf: {} }
}

/**
 * The best entries, best first. They are scored by meaning where the model can (English, embedded already), otherwise
 * by character n-grams or by words, on one scale.
 */
export async function rankEntries(index: CampaignIndex, asked: Question): Promise<Ranking> {
  const scorings = scoringsOf(index, asked)
  const scores = await scoreTexts(index, asked, new Set(scorings))
  const ranked = index.entries
    .map(({ entryId, question, answer, handsOver, from, to }, i) => {
      const scoring = scorings[i] ?? 'words'
      const score = calibrate(combine(scores[scoring]?.subarray(from, to) ?? []), scoring)
      return { scoring, entry: { entryId, question, answer, handsOver, score } }
    })
    .sort((a, b) => b.entry.score - a.entry.score)
  const scoring = ranked[0]?.scoring ?? (asked.embed ? 'minilm' : 'words')
  const entries = ranked.map(({ entry }) => entry)
  return { entries: takeThatFit(entries, asked.limit), scoring }
}

/** The best is among them whatever its length. */
function takeThatFit(ranked: RankedEntry[], { entries: most, characters }: RankingLimit): RankedEntry[] {
  const taken: RankedEntry[] = []
  let left = characters
  for (const entry of ranked) {
    if (taken.length >= most) break
    const length = entry.question.length + entry.answer.length
    if (length > left && taken.length > 0) continue // a shorter one may still fit
    taken.push(entry)
    left -= length
  }
  return taken
}

function scoringsOf({ entries }: CampaignIndex, { question, language, embed }: Question): Scoring[] {
  const askedInEnglish = language === 'auto' ? isEnglish(question) : language.split('-')[0] === 'en'
  return entries.map((entry) => {
    if (askedInEnglish === false || (language === 'auto' && entry.isEnglish === false)) return 'ngrams'
    return embed && entry.isEmbedded ? 'minilm' : 'words'
  })
}

/** The score of every text, for each scoring that is needed. */
async function scoreTexts(
  index: CampaignIndex,
  { question, embed, dictionary }: Question,
  needed: Set<Scoring>,
): Promise<Partial<Record<Scoring, Float32Array>>> {
  const scores: Partial<Record<Scoring, Float32Array>> = {}
  const texts = () => index.texts.map(({ text }) => text)
  if (needed.has('ngrams')) {
    index.tfIdf.ngrams ??= buildTfIdf(texts(), characterNgrams)
    scores.ngrams = similarities(index.tfIdf.ngrams, question)
  }
  const corrected = correctSpelling(question, index.vocabulary, dictionary)
  if (needed.has('words')) {
    index.tfIdf.words ??= buildTfIdf(texts(), wordStems)
    scores.words = similarities(index.tfIdf.words, corrected)
  }
  if (needed.has('minilm') && embed) {
    const asked = await embed(corrected)
    scores.minilm = Float32Array.from(index.texts, ({ vector }) => (vector ? cosine(asked, vector) : 0))
  }
  return scores
}

/** The vectors must have length one, as the model's have. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/**
 * Combines the scores of an entry's texts, its answer first. The maximum weighs most; but one phrasing may be similar
 * by chance, so the mean and the answer count too: in `lab/eval/` that ranks the right entry first for 86 %, not 82 %.
 */
function combine(texts: ArrayLike<number>): number {
  const [answer = 0, ...questions] = Array.from(texts)
  const mean = questions.reduce((sum, score) => sum + score, 0) / Math.max(questions.length, 1)
  return 0.6 * Math.max(answer, ...questions) + 0.2 * mean + 0.2 * answer
}

/**
 * Maps a raw score to the scale of the campaign's thresholds, which is the same for every scoring: from 0.5 on it is an
 * answer, from 0.35 on worth an offer.
 */
function calibrate(raw: number, scoring: Scoring): number {
  const { offer, answer } = scales[scoring]
  if (raw <= 0) return 0
  if (raw < offer) return (raw / offer) * 0.35
  if (raw < answer) return 0.35 + ((raw - offer) / (answer - offer)) * 0.15
  return Math.min(0.5 + ((raw - answer) / (1 - answer)) * 0.5, 1)
}

/** The scales were found with the tuning half of `lab/eval/questions.json`. */
const scales: Record<Scoring, { offer: number; answer: number }> = {
  minilm: { offer: 0.32, answer: 0.46 },
  ngrams: { offer: 0.2, answer: 0.3 },
  words: { offer: 0.22, answer: 0.35 },
}
