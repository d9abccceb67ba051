import { readFileSync } from 'node:fs'
import { CampaignSettings } from '../../contract/campaigns.ts'
import { openBuiltinEngine } from '../../server/src/answers/engines/builtin/builtin-engine.ts'
import type { Answer } from '../../server/src/answers/engines/common/engine.ts'
import { type Intent, readIntent } from '../../server/src/answers/engines/intents/read-intent.ts'
import type { CampaignRef } from '../../server/src/answers/knowledge/entries/store.ts'
import type { Embedder } from '../../server/src/answers/knowledge/search/embedder.ts'
import { isEnglish } from '../../server/src/answers/knowledge/search/language.ts'
import type { KnownEntry, Ranking } from '../../server/src/answers/knowledge/search/ranking.ts'
import { fiveEntries, type Knowledge } from '../../server/src/answers/knowledge/search/retrieval.ts'
import type { IndexPart } from '../../server/src/answers/knowledge/search/thread-messages.ts'
import type { EntryId } from '../../server/src/platform/ids.ts'

type Kind = 'in scope' | 'near miss' | 'unrelated' | 'small talk' | 'request for a person' | 'injection'

type LabelledQuestion = {
  campaign: string
  kind: Kind
  text: string
  language: string
  /** The name of the entry that answers it. */
  expects?: string
  typos?: boolean
}

export type Outcome = LabelledQuestion & {
  /** Every second question: not used to tune scores and rules. */
  isHeldOut: boolean
  intent: Intent | undefined
  /** Undefined: the rules recognized an intent, and no engine was called. */
  answer: Pick<Answer, 'kind' | 'text' | 'model'> | undefined
  /** The names of the entries, best first, with their scores. */
  ranked: { name: string; score: number }[]
  /** The names of the entries that were the answer, or were offered. */
  used: string[]
}

export type Entry = { name: string; questions: string[]; answer: string }

export const entries: Record<string, Entry[]> = readJson('entries.json')
export const questions: LabelledQuestion[] = readJson('questions.json')

/** Runs every labelled question as in production: rules first, then the engine, with the real model and scoring. */
export async function evaluate(embedder: Embedder, settings: Partial<CampaignSettings> = {}): Promise<Outcome[]> {
  const knowledge = await knowledgeOf(embedder)
  const engine = openBuiltinEngine(knowledge)
  const counts = new Map<Kind, number>()
  const outcomes: Outcome[] = []
  for (const question of questions) {
    const number = (counts.get(question.kind) ?? 0) + 1
    counts.set(question.kind, number)
    const chosen = { ...defaults, greetingText: 'Hello!', thanksText: 'You are welcome!', ...settings }
    const intent = readIntent(question.text, chosen)
    const isFinal = intent === 'person' || intent === 'stop'
    knowledge.last.entries = []
    const turn = { campaign: campaignOf(question.campaign), settings: chosen, text: question.text }
    const input = { ...turn, firstName: 'Ana', history: [], offered: [] }
    const answer = isFinal ? undefined : await engine.generate(input, AbortSignal.timeout(60_000))
    const ranked = knowledge.last.entries.map(({ entryId, score }) => ({ name: nameOf(entryId), score }))
    const used = answer?.kind === 'fallback' ? [] : (answer?.sources ?? []).map(({ entryId }) => nameOf(entryId))
    outcomes.push({ ...question, isHeldOut: number % 2 === 0, intent, answer, ranked, used })
  }
  return outcomes
}

export const defaults = Object.fromEntries(
  Object.entries(CampaignSettings.properties).map(([name, schema]) => [name, Reflect.get(schema, 'default')]),
) as CampaignSettings // every setting has a default

/** Entries as the knowledge of campaigns, without a database; `last` is the last ranking. */
export async function knowledgeOf(
  embedder: Embedder,
  campaigns: Record<string, Entry[]> = entries,
): Promise<Knowledge & { last: Ranking }> {
  const embedded = new Map<string, Float32Array | null>() // campaigns may share entries
  const parts = new Map<string, IndexPart>()
  for (const [campaign, known] of Object.entries(campaigns)) {
    const stored = []
    for (const { name, answer, questions } of known) {
      const texts = [answer, ...questions]
      const isScoredByWords = embedder.state() === 'failed' || isEnglish(texts.join('\n')) === false
      const missing = isScoredByWords ? [] : texts.filter((text) => !embedded.has(text))
      const vectors = await embedder.embed(missing).catch(() => [])
      for (const [i, text] of missing.entries()) embedded.set(text, vectors[i] ?? null)
      const kept = texts.map((text) => ({ text, vector: embedded.get(text)?.slice() ?? null }))
      stored.push({ entryId: idOf(name), handsOver: false, texts: kept })
    }
    const part = { key: keyOf(campaign), load: campaign, entries: stored, isFirst: true, isLast: true }
    parts.set(campaign, part)
    await embedder.keep(part)
  }
  const last: Ranking = { entries: [], scoring: 'words' }
  return {
    modelId: embedder.modelId,
    last,
    find: async (): Promise<KnownEntry[]> => [],
    rank: async ({ campaignId }, question, language, limit = fiveEntries) => {
      const part = parts.get(campaignId.slice('cmp_'.length))
      if (!part) throw new Error('there is no such campaign')
      const request = { key: part.key, question, language, limit }
      let ranking = await embedder.rank(request)
      if (!ranking) await embedder.keep(part) // a second thread has begun meanwhile
      ranking ??= await embedder.rank(request)
      if (!ranking) throw new Error('the thread has evicted the entries from its cache')
      return Object.assign(last, ranking)
    },
  }
}

const keyOf = (campaign: string) => ({ campaign, version: 1 })
export const idOf = (name: string): EntryId => `ent_${name}`
const nameOf = (entryId: EntryId) => entryId.slice('ent_'.length)
export const campaignOf = (name: string): CampaignRef => ({ accountId: 'acc_eval', campaignId: `cmp_${name}` })

export function readJson<Value>(name: string): Value {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
}
