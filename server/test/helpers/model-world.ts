import { Writable } from 'node:stream'
import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { pino } from 'pino'
import { allSettings } from '../../src/answers/campaigns/settings.ts'
import type { TurnInput } from '../../src/answers/engines/common/engine.ts'
import { openCircuitBreakers } from '../../src/answers/engines/models/circuit-breaker.ts'
import type { ModelProvider } from '../../src/answers/engines/models/language-model.ts'
import { openModelEngine, openModels } from '../../src/answers/engines/models/model-engine.ts'
import type { RankedEntry } from '../../src/answers/knowledge/search/ranking.ts'
import type { Retrieval } from '../../src/answers/knowledge/search/retrieval.ts'
import { readAllowedNetworks } from '../../src/platform/outbound/allowed-networks.ts'
import { openOutbound } from '../../src/platform/outbound/client.ts'

export const apiKey = 'sk-canary-0123456789abcdef'

/** The entries of a shop, in the order in which every search returns them. */
export const entries: RankedEntry[] = [
  {
    entryId: 'ent_returns',
    question: 'How do I return something?',
    answer: 'Send it back within 30 days. The label is at https://shop.example/returns or from help@shop.example.',
    handsOver: false,
    score: 0.81,
  },
  {
    entryId: 'ent_hours',
    question: 'When are you open?',
    answer: 'Monday to Friday, 9 to 17.',
    handsOver: false,
    score: 0.42,
  },
  { entryId: 'ent_far', question: 'Do you sell boats?', answer: 'We sell no boats.', handsOver: false, score: 0.12 },
]

export function settingsWith(changes: Partial<CampaignSettings> = {}): CampaignSettings {
  const defaults = allSettings({})
  return { ...defaults, engine: 'openai-compatible', fallbackText: 'A colleague will look into it.', ...changes }
}

export function turnOf(text: string, changes: Partial<TurnInput> = {}): TurnInput {
  return {
    campaign: { accountId: 'acc_1', campaignId: 'cmp_1' },
    settings: settingsWith(),
    firstName: null,
    text,
    history: [],
    offered: [],
    ...changes,
  }
}

/** An engine on an in-memory retrieval that may call only loopback. */
export function openWorld({
  known = entries,
  allowed = '127.0.0.0/8',
  breakers = openCircuitBreakers(),
  whenAsked = (_question: string): unknown => undefined,
} = {}) {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, new Writable({ write: (line, _, done) => done(void lines.push(String(line))) }))
  const retrieval: Retrieval = {
    rank: async (_, question) => {
      whenAsked(question)
      return { entries: known, scoring: 'minilm' }
    },
  }
  const outbound = openOutbound({ allowed: readAllowedNetworks(allowed, false) })
  const ctx = { retrieval, outbound, log, models: openModels(breakers) }
  return {
    lines,
    engine: (url: string, changes: Partial<ModelProvider> = {}) =>
      openModelEngine(ctx, {
        kind: 'openai-compatible',
        url: `${url}v1`,
        apiKey,
        model: 'tiny',
        promptTokens: 3_000,
        ...changes,
      }),
    [Symbol.asyncDispose]: () => outbound.close(),
  }
}

export const never = new AbortController().signal
