import { isEnglish } from './language.ts'
import { buildLexicon, compareWith, type Lexicon, letterRuns, wordStems } from './lexicon.ts'
import type { KnownEntry, RankedEntry, Ranking, Scoring } from './retrieval.ts'
import type { StoredEntry } from './store.ts'

/** What a campaign knows, ready to be compared. Only the embedder's thread holds one. */
export type CampaignIndex = {
  entries: (KnownEntry & { isEnglish: boolean | undefined })[]
  texts: { entry: number; text: string; vector: Float32Array | null }[]
  /** Made when first needed: most campaigns never are asked in a way that needs them. */
  lexicons: { ngrams?: Lexicon; words?: Lexicon }
}

export type Question = {
  question: string
  /** The campaign's setting: a language tag, or `auto`. */
  language: string
  /** Undefined: the weights could not be loaded. */
  embed: ((text: string) => Promise<Float32Array>) | undefined
}

const most = 5

export function indexOf(stored: StoredEntry[]): CampaignIndex {
  const entries = stored.map(({ entryId, handsOver, texts }) => {
    const [answer = '', question = ''] = texts.map(({ text }) => text)
    return { entryId, handsOver, question, answer, isEnglish: isEnglish(texts.map(({ text }) => text).join('\n')) }
  })
  const texts = stored.flatMap((one, entry) => one.texts.map(({ text, vector }) => ({ entry, text, vector })))
  return { entries, texts, lexicons: {} }
}

/**
 * The nearest entries, best first. An entry is as near as the nearest of its texts; texts are compared by meaning where
 * the weights can (English, embedded already), otherwise by runs of letters or by words.
 */
export async function rankEntries(index: CampaignIndex, asked: Question): Promise<Ranking> {
  const scorings = scoringsOf(index, asked)
  const scorers = await openScorers(index, asked, new Set(scorings))
  const best = index.entries.map(() => ({ score: 0, scoring: scorings[0] ?? fallbackScoring(asked) }))
  for (const [i, { entry }] of index.texts.entries()) {
    const scoring = scorings[i] ?? 'words'
    const score = scorers[scoring]?.(i) ?? 0
    if (score > (best[entry]?.score ?? 0)) best[entry] = { score, scoring }
  }
  const nearest = best
    .map((found, entry) => ({ ...found, entry }))
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
  return {
    entries: nearest.map(({ entry, score }) => rankedEntry(index, entry, score)),
    scoring: nearest[0]?.scoring ?? fallbackScoring(asked),
  }
}

/** How each text is compared with the question. */
function scoringsOf({ entries, texts }: CampaignIndex, { question, language, embed }: Question): Scoring[] {
  const askedInEnglish = language === 'auto' ? isEnglish(question) : language.split('-')[0] === 'en'
  return texts.map(({ entry, vector }) => {
    const isForeign = askedInEnglish === false || (language === 'auto' && entries[entry]?.isEnglish === false)
    if (isForeign) return 'ngrams'
    return embed && vector ? 'minilm' : 'words'
  })
}

function fallbackScoring({ embed }: Question): Scoring {
  return embed ? 'minilm' : 'words'
}

type Scorer = (text: number) => number

async function openScorers(
  index: CampaignIndex,
  { question, embed }: Question,
  needed: Set<Scoring>,
): Promise<Partial<Record<Scoring, Scorer>>> {
  const scorers: Partial<Record<Scoring, Scorer>> = {}
  if (needed.has('minilm') && embed) {
    const asked = await embed(question)
    scorers.minilm = (i) => cosine(asked, index.texts[i]?.vector)
  }
  for (const kind of ['ngrams', 'words'] as const) {
    if (!needed.has(kind)) continue
    index.lexicons[kind] ??= buildLexicon(
      index.texts.map(({ text }) => text),
      kind === 'ngrams' ? letterRuns : wordStems,
    )
    const scores = compareWith(index.lexicons[kind], question)
    scorers[kind] = (i) => calibrate(scores[i] ?? 0, scales[kind])
  }
  return scorers
}

/** Of vectors of length one, as the model makes them. */
export function cosine(a: Float32Array, b: Float32Array | null | undefined): number {
  if (!b) return 0
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

/**
 * Where a raw score stands on the scale of the meaning's: pairs of raw and calibrated score, straight lines between.
 * Found with the tuning half of `eval/`.
 */
const scales = {
  ngrams: [
    [0, 0],
    [0.25, 0.35],
    [0.45, 0.5],
    [1, 1],
  ],
  words: [
    [0, 0],
    [0.35, 0.35],
    [0.55, 0.5],
    [1, 1],
  ],
} as const

function calibrate(raw: number, scale: readonly (readonly [number, number])[]): number {
  const upper = scale.findIndex(([from]) => raw <= from)
  const [[x0, y0], [x1, y1]] = [scale[upper - 1] ?? [0, 0], scale[upper] ?? [1, 1]]
  return x1 === x0 ? y1 : y0 + ((raw - x0) / (x1 - x0)) * (y1 - y0)
}

function rankedEntry({ entries }: CampaignIndex, entry: number, score: number): RankedEntry {
  const found = entries[entry]
  if (!found) throw new Error('a text names an entry that is not there')
  const { entryId, question, answer, handsOver } = found
  return { entryId, question, answer, handsOver, score: Math.min(Math.max(score, 0), 1) }
}
