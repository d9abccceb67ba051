import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { generateText, Output as OutputAs } from 'ai'
import type { Outbound } from '../../../platform/outbound/client.ts'
import { outputSchema } from '../output-check/read-output.ts'
import { guardFetch } from './guarded-fetch.ts'
import { type ModelProvider, openLanguageModel } from './language-model.ts'
import { nameFailure, statusIn } from './name-failure.ts'
import type { Prompt } from './prompt.ts'

globalThis.AI_SDK_LOG_WARNINGS = false // they bypass our log and quote the request

/** The raw output of the model. */
export type Output = {
  text: string
  finishReason: string
  inputTokens: number | undefined
  outputTokens: number | undefined
}

/** Throws EngineError, or the reason of the signal. */
export type Ask = (settings: CampaignSettings, prompt: Prompt, maxRetries: number) => Promise<Output>

type AskCtx = { outbound: Outbound; withoutSchema: Set<string> }

type CallOptions = { key: string; deadline: number; signal: AbortSignal }

/**
 * Calls the model with a schema and a temperature. A server that refuses the request may not support one of them, so
 * the call is repeated without both; if that succeeds, later calls go without them too. The system prompt states the
 * schema in words.
 */
export function openAsk(ctx: AskCtx, provider: ModelProvider, { key, deadline, signal }: CallOptions): Ask {
  const fetch = guardFetch(ctx.outbound, () => deadline - performance.now())
  const model = openLanguageModel(provider, fetch)
  const modelKey = `${key} ${provider.model}`

  async function once(settings: CampaignSettings, prompt: Prompt, options: { maxRetries: number; isPlain: boolean }) {
    const { text, finishReason, totalUsage } = await generateText({
      model,
      instructions: prompt.instructions,
      messages: prompt.messages,
      maxOutputTokens: settings.maxOutputTokens,
      maxRetries: options.maxRetries,
      abortSignal: signal,
      output: options.isPlain ? OutputAs.text() : jsonAsText,
      ...(options.isPlain ? {} : { temperature: settings.temperature }),
      ...(provider.kind === 'openai' ? ofOpenAi : {}),
    })
    return { text, finishReason, inputTokens: totalUsage.inputTokens, outputTokens: totalUsage.outputTokens }
  }

  return async (settings, prompt, maxRetries) => {
    const isPlain = ctx.withoutSchema.has(modelKey)
    try {
      return await once(settings, prompt, { maxRetries, isPlain }).catch(async (error) => {
        if (isPlain || !/^4(00|22)$/.test(String(statusIn(error)))) throw error
        const output = await once(settings, prompt, { maxRetries: 0, isPlain: true })
        ctx.withoutSchema.add(modelKey)
        return output
      })
    } catch (error) {
      throw signal.aborted ? signal.reason : nameFailure(error, provider.apiKey)
    }
  }
}

/** Sends the schema, but we parse the output ourselves: the library would discard output that is not JSON. */
const jsonAsText = { ...OutputAs.object({ schema: outputSchema, name: 'reply' }), parseCompleteOutput: async () => '' }

/** The vendor stores nothing, and reasoning models do not spend the token limit of the answer on reasoning. */
const ofOpenAi = {
  reasoning: 'minimal',
  providerOptions: { openai: { store: false, reasoningSummary: null } },
} as const
