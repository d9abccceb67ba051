/**
 * The model engine: asks a language model for the words of a reply, and for nothing else. The model gets no tools, and
 * its output is checked before it is sent.
 */

import type { Log } from '../../../platform/log.ts'
import type { Outbound } from '../../../platform/outbound/client.ts'
import { startDeadline } from '../../../platform/outbound/deadline.ts'
import type { Retrieval } from '../../knowledge/search/retrieval.ts'
import { type Answer, type Engine, EngineError, type TurnInput } from '../common/engine.ts'
import { type CheckedAnswer, checkOutput, fallBack } from '../output-check/check-output.ts'
import { readOutput } from '../output-check/read-output.ts'
import { type Ask, type Output, openAsk } from './ask-model.ts'
import { breakerKey, type CircuitBreakers, openCircuitBreakers } from './circuit-breaker.ts'
import type { ModelProvider } from './language-model.ts'
import { buildPrompt, entriesForPrompt, type Prompt } from './prompt.ts'
import { shorterRule } from './system-prompt.ts'

export type ModelContext = { retrieval: Retrieval; outbound: Outbound; log: Log; models: Models }

/** State that all model engines of a process share. */
export type Models = {
  breakers: CircuitBreakers
  /** The models that refuse a schema or a temperature. */
  withoutSchema: Set<string>
  /** The campaigns for which the log has the warning that the prompt is being cut. */
  warned: Set<string>
}

export function openModels(breakers: CircuitBreakers = openCircuitBreakers()): Models {
  return { breakers, withoutSchema: new Set(), warned: new Set() }
}

/** The engine is cheap enough to open for each turn: the state that calls share is in `ctx.models`. */
export function openModelEngine(ctx: ModelContext, provider: ModelProvider): Engine {
  return {
    async generate(input, signal) {
      const totalMs = input.settings.replyTimeoutSeconds * 1000
      const key = breakerKey(input.campaign.accountId, provider)
      const { prompt, outputs } = await ctx.models.breakers.pass(key, signal, async () => {
        const tokens = provider.promptTokens
        const entries = await entriesForPrompt(ctx.retrieval, input, tokens)
        signal.throwIfAborted()
        const prompt = buildPrompt(input, entries, { tokens, now: new Date() })
        const timeout = () =>
          new EngineError(`The model gave no answer within ${totalMs / 1000} seconds.`, { isFinal: false })
        using clock = startDeadline(totalMs, timeout, signal)
        const deadline = performance.now() + totalMs
        const ask = openAsk({ ...ctx, ...ctx.models }, provider, { key, deadline, signal: clock.signal })
        return { prompt, outputs: await askTwice(ask, input, prompt) }
      })
      // Outside the breaker: unusable output is no failure of the provider, or one contact could open the breaker.
      return conclude(ctx, provider, { input, prompt, outputs })
    },
  }
}

/** Asks a second time if the first output was cut off, never a third time. */
async function askTwice(ask: Ask, { settings }: TurnInput, prompt: Prompt): Promise<Output[]> {
  const first = await ask(settings, prompt, 1)
  if (first.finishReason !== 'length') return [first]
  return [first, await ask(settings, { ...prompt, instructions: `${prompt.instructions}\n\n${shorterRule}` }, 0)]
}

type Generation = { input: TurnInput; prompt: Prompt; outputs: Output[] }

function conclude(ctx: ModelContext, { kind, model }: ModelProvider, { input, prompt, outputs }: Generation): Answer {
  const { removedLinks, ...checked } = checkLast(outputs.at(-1), input, prompt)
  const { campaignId } = input.campaign
  if (removedLinks > 0) ctx.log.warn({ campaignId, removedLinks }, 'addresses were removed from a reply')
  warnIfCut(ctx, input, prompt.tokens, outputs[0]?.inputTokens)
  const usage = {
    inputTokens: sumOf(outputs.map(({ inputTokens }) => inputTokens)),
    outputTokens: sumOf(outputs.map(({ outputTokens }) => outputTokens)),
  }
  return { ...checked, offered: [], choices: [], engine: kind, model, usage }
}

function checkLast(output: Output | undefined, input: TurnInput, prompt: Prompt): CheckedAnswer {
  const { text = '', finishReason } = output ?? {}
  if (finishReason === 'length') return fallBack(input, 'the answer was too long twice')
  if (finishReason === 'content-filter') return fallBack(input, 'the model refuses to answer')
  if (finishReason === 'error' || text.trim() === '') {
    throw new EngineError('The model gave an empty answer.', { isFinal: false })
  }
  return checkOutput(readOutput(text), input, prompt)
}

/** The server counted less than half of our estimate: a local one has cut the prompt, and it cuts the rules first. */
function warnIfCut(ctx: ModelContext, { campaign }: TurnInput, estimated: number, reported: number | undefined): void {
  if (!reported || reported > estimated / 2 || ctx.models.warned.has(campaign.campaignId)) return
  ctx.models.warned.add(campaign.campaignId)
  ctx.log.warn({ campaignId: campaign.campaignId, estimated, reported }, 'the model server seems to cut the prompt')
}

/** The provider's token counts are untrusted: no value of them may make the answer fail. */
function sumOf(counts: (number | undefined)[]): number | null {
  const known = counts.filter((count) => count !== undefined && !Number.isNaN(count))
  if (known.length === 0) return null
  const sum = known.reduce<number>((total, count = 0) => total + Math.max(0, count), 0)
  return Math.min(Math.round(sum), mostTokens)
}

/** The largest number that its column takes. */
const mostTokens = 2_147_483_647
