/** Whether a language model is given what it needs: the entry that answers the question must be in its prompt. */
import { usualPromptTokens } from '../../contract/model-connections.ts'
import type { HistoryMessage } from '../../server/src/answers/engines/common/engine.ts'
import { buildPrompt, entriesForPrompt } from '../../server/src/answers/engines/models/prompt.ts'
import type { Embedder } from '../../server/src/answers/knowledge/search/embedder.ts'
import { campaignsOf, type Language } from './campaigns.ts'
import { campaignOf, defaults, entries, idOf, knowledgeOf, questions, readJson } from './evaluate.ts'
import type { Metric } from './metrics.ts'

type Asked = { campaign: string; text: string; language: string; expects: string; before?: string }

/** Those of the other evaluation; the same questions in languages that the entries do not have; and short ones that need the one before them. */
const asked: Asked[] = [
  ...questions.flatMap(({ kind, expects, ...question }) =>
    kind === 'in scope' && expects !== undefined ? [{ ...question, expects }] : [],
  ),
  ...readJson<Asked[]>('more-questions.json'),
]

/** Of campaigns of one size and prompts of one size: for how many questions of a group their entry is in the prompt. */
export type PromptMetric = Metric & { size: number; tokens: number }

const budgets = [...new Set(Object.values(usualPromptTokens))]

export async function measurePrompts(embedder: Embedder, sizes: number[]): Promise<PromptMetric[]> {
  const campaigns = sizes.flatMap((size) => Object.entries(entries).flatMap(([name, own]) => made(name, own, size)))
  const known = Object.fromEntries(campaigns.map(({ name, entries }) => [name, entries]))
  const knowledge = await knowledgeOf(embedder, known)
  const metrics = new Map<string, PromptMetric>()
  for (const question of asked) {
    for (const { name, own, size, entries } of campaigns) {
      if (own !== question.campaign || !entries.some((entry) => entry.name === question.expects)) continue
      const input = { ...turnOf(question), campaign: campaignOf(name) }
      for (const tokens of budgets) {
        const ranked = await entriesForPrompt(knowledge, input, tokens)
        const prompt = buildPrompt(input, ranked, { tokens, now: new Date() })
        const isThere = [...prompt.entries.values()].some(({ entryId }) => entryId === idOf(question.expects))
        count(metrics, { name: groupOf(question), size, tokens, isThere })
      }
    }
  }
  return [...metrics.values()]
}

function made(own: string, from: (typeof entries)[string], size: number) {
  const all = campaignsOf(from, size, own as Language) // the names in the file are languages
  return all.map((entries, number) => ({ name: `${own}-${size}-${number}`, own, size, entries }))
}

function turnOf({ text, before }: Asked) {
  const history: HistoryMessage[] = before === undefined ? [] : [{ by: 'contact', kind: 'text', text: before }]
  return { settings: defaults, text, firstName: null, history, offered: [] }
}

function groupOf({ campaign, language, before }: Asked): string {
  if (before !== undefined) return 'en, after another'
  return campaign === language ? language : `${language}, entries in ${campaign}`
}

/** A small business loses nothing, whatever the language; larger ones are measured. */
const limits: Record<number, Metric['limit']> = { 25: { least: 0.99 } }

type Counted = Pick<PromptMetric, 'name' | 'size' | 'tokens'> & { isThere: boolean }

function count(metrics: Map<string, PromptMetric>, { isThere, ...of }: Counted): void {
  const limit = limits[of.size]
  const metric = metrics.getOrInsertComputed(JSON.stringify(of), () => ({
    ...of,
    of: 0,
    count: 0,
    ...(limit && { limit }),
  }))
  metric.of += 1
  if (isThere) metric.count += 1
}
