import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'
import { type Provider, vendorUrls } from '../../model-providers/provider.ts'
import { EngineError } from '../common/engine.ts'

export type ModelProvider = Provider & { model: string }

function urlOf({ kind, url }: ModelProvider): string {
  if (url !== null && URL.canParse(url)) return url
  if (url !== null) throw unusable('The address of the provider is not valid.')
  if (kind === 'openai-compatible') throw unusable('The provider has no address.')
  return vendorUrls[kind]
}

/**
 * The library's model for a provider. URL and key are always passed, if only as empty strings: otherwise the library
 * takes them from the environment and would send the operator's key to an address that a tenant chose.
 */
export function openLanguageModel(provider: ModelProvider, fetch: typeof globalThis.fetch): LanguageModel {
  const { kind, model } = provider
  const settings = { apiKey: keyOf(provider), baseURL: urlOf(provider), fetch }
  switch (kind) {
    case 'openai-compatible':
      return createOpenAICompatible({ ...settings, name: kind, supportsStructuredOutputs: true }).chatModel(model)
    case 'openai':
      return createOpenAI(settings).responses(model)
    case 'anthropic':
      return createAnthropic(settings).messages(model)
  }
}

function keyOf({ url, apiKey }: ModelProvider): string {
  if (apiKey === null && url === null) throw unusable('The provider has no key.')
  // Checked here, because the error for an invalid header value would show the key.
  if (!/^[\x21-\x7e]*$/.test(apiKey ?? '')) throw unusable('The key of the provider has characters that no key has.')
  return apiKey ?? ''
}

function unusable(sentence: string): EngineError {
  return new EngineError(sentence, { isFinal: true })
}
