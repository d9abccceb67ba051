import { generateText } from 'ai'
import type { Outbound } from '../../../platform/outbound/client.ts'
import { startDeadline } from '../../../platform/outbound/deadline.ts'
import { EngineError } from '../common/engine.ts'
import { guardFetch } from './guarded-fetch.ts'
import { type ModelProvider, openLanguageModel } from './language-model.ts'
import { nameFailure } from './name-failure.ts'

/** A time shorter than a person waits for a button. */
const totalMs = 20_000

/** Asks the model for one word. Returns why it gave none, in words without the key and without a word of the provider. */
export async function tryModel(outbound: Outbound, provider: ModelProvider): Promise<string | undefined> {
  const timeout = () =>
    new EngineError(`The model gave no answer within ${totalMs / 1000} seconds.`, { isFinal: false })
  using clock = startDeadline(totalMs, timeout)
  const deadline = performance.now() + totalMs
  try {
    const fetch = guardFetch(outbound, () => deadline - performance.now())
    const model = openLanguageModel(provider, fetch)
    const options = { maxOutputTokens: mostTokens, maxRetries: 0, abortSignal: clock.signal }
    const { text } = await generateText({ model, prompt: 'Answer with the word OK.', ...options })
    return text.trim() === '' ? 'The model gave an empty answer.' : undefined
  } catch (error) {
    return (clock.signal.aborted ? clock.signal.reason : nameFailure(error, provider.apiKey)).message
  }
}

/** Reasoning models spend some before the first word. */
const mostTokens = 256
