import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { generateText, Output as OutputAs } from 'ai'
import type { Outbound } from '../../platform/outbound/client.ts'
import { outputSchema } from '../output-check/read-output.ts'
import { guardFetch } from './guarded-fetch.ts'
import { type ModelProvider, openLanguageModel } from './language-model.ts'
import { nameFailure, statusIn } from './name-failure.ts'
import type { Prompt } from './prompt.ts'

globalThis.AI_SDK_LOG_WARNINGS = false // they would go past the log, and quote the request

/** What came back, as it came. */
export type Output = {
  text: string
  finishReason: string
  inputTokens: number | undefined
  outputTokens: number | undefined
}

/** Throws EngineError, or the reason of the signal. */
export type Ask = (settings: CampaignSettings, prompt: Prompt, maxRetries: number) => Promise<Output>

type Means = { outbound: Outbound; askedPlainly: Set<string> }

type Errand = { key: string; deadline: number; signal: AbortSignal }

/**
 * Asks with a schema and a temperature. A server that refuses that may know one of them not, so it is asked without; if
 * it answers then, it is asked so from then on. The rules say in words what the schema says.
 */
export function openAsking(ctx: Means, provider: ModelProvider, { key, deadline, signal }: Errand): Ask {
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
    const isPlain = ctx.askedPlainly.has(modelKey)
    try {
      return await once(settings, prompt, { maxRetries, isPlain }).catch(async (error) => {
        if (isPlain || !/^4(00|22)$/.test(String(statusIn(error)))) throw error
        const output = await once(settings, prompt, { maxRetries: 0, isPlain: true })
        ctx.askedPlainly.add(modelKey)
        return output
      })
    } catch (error) {
      throw signal.aborted ? signal.reason : nameFailure(error, provider.apiKey)
    }
  }
}

/** Sends the schema, but leaves the reading to us: the library would throw away what is no JSON. */
const jsonAsText = { ...OutputAs.object({ schema: outputSchema, name: 'reply' }), parseCompleteOutput: async () => '' }

/** Nothing is kept at the vendor's, and models that think first do not spend the tokens of the answer on it. */
const ofOpenAi = {
  reasoning: 'minimal',
  providerOptions: { openai: { store: false, reasoningSummary: null } },
} as const
