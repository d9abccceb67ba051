import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import type { CampaignRow } from '../../../answers/campaigns/store.ts'
import type { Answer, Engine, HistoryMessage, Source } from '../../../answers/engines/common/engine.ts'
import { withoutGreeting } from '../../../answers/engines/intents/read-intent.ts'
import type { CampaignRef } from '../../../answers/knowledge/entries/store.ts'
import type { RankedEntry } from '../../../answers/knowledge/search/ranking.ts'
import type { Knowledge } from '../../../answers/knowledge/search/retrieval.ts'
import type { EntryId } from '../../../platform/ids.ts'
import { isCharged, respond } from '../respond.ts'

export type AskedCampaign = Omit<CampaignRow, 'settings'> & { settings: CampaignSettings }

type Question = { question: string; history?: HistoryMessage[]; offered?: EntryId[]; signal?: AbortSignal }

/** `scores`: the nearest entries, whatever was decided, and those that were used. `credits`: what the answer would cost. */
type AskResult = { answer: Answer; handler: 'bot' | 'person' | 'off'; scores: RankedEntry[]; credits: number }

/**
 * Asks the bot as a contact would, by the way of every answer: rules, then the campaign's engine. Nothing is kept, and
 * nothing is charged. Throws what the engine throws.
 */
export async function askBot(
  { engine, knowledge }: { engine: Engine; knowledge: Knowledge },
  { settings, accountId, id }: AskedCampaign,
  { question, history = [], offered = [], signal = new AbortController().signal }: Question,
): Promise<AskResult> {
  const campaign = { accountId, campaignId: id }
  const input = { campaign, settings, firstName: null, text: question, history, offered }
  const { answer, handler } = await respond(engine, input, signal)
  const { entries } = await knowledge.rank(campaign, withoutGreeting(question), settings.language)
  return {
    answer,
    handler: handler?.handler ?? 'bot',
    scores: [...entries, ...(await usedBesides(knowledge, campaign, { sources: answer.sources, entries }))],
    credits: isCharged(answer) ? settings.creditsPerReply : 0,
  }
}

/** A language model is given more entries than the nearest, and may use any of them. */
async function usedBesides(
  knowledge: Knowledge,
  campaign: CampaignRef,
  { sources, entries }: { sources: Source[]; entries: RankedEntry[] },
): Promise<RankedEntry[]> {
  const scoreOf = new Map(sources.map(({ entryId, score }) => [entryId, score]))
  for (const { entryId } of entries) scoreOf.delete(entryId)
  if (scoreOf.size === 0) return []
  const found = await knowledge.find(campaign, [...scoreOf.keys()])
  return found.map((entry) => ({ ...entry, score: scoreOf.get(entry.entryId) ?? 0 }))
}
