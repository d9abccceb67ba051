import { APICallError, InvalidResponseDataError, RetryError } from 'ai'
import { OutboundError } from '../../platform/outbound/outbound-error.ts'
import { EngineError } from '../common/engine.ts'

/**
 * Says in our words why a model gave no answer. What the library throws carries the whole request, and what a provider
 * says may quote it or the key; so of both only the status and a word of the provider's are kept, and no cause.
 */
export function nameFailure(error: unknown, apiKey: string | null): EngineError {
  const last = lastOf(error)
  if (last instanceof EngineError) return last
  const outbound = outboundErrorIn(last)
  if (outbound) {
    const isFinal = outbound.category === 'blocked_address'
    return new EngineError(`The provider cannot be asked. ${outbound.message}`, { isFinal, cause: outbound })
  }
  if (APICallError.isInstance(last)) return refusalOf(last, apiKey)
  if (InvalidResponseDataError.isInstance(last)) return passing('The answer of the provider has no content.')
  return passing('The provider could not be asked.')
}

/** The status that the provider answered with. */
export function statusIn(error: unknown): number | undefined {
  const last = lastOf(error)
  return APICallError.isInstance(last) ? last.statusCode : undefined
}

function lastOf(error: unknown): unknown {
  return RetryError.isInstance(error) ? error.lastError : error
}

function outboundErrorIn(error: unknown): OutboundError | undefined {
  if (error instanceof OutboundError) return error
  return error instanceof Error && error.cause !== undefined ? outboundErrorIn(error.cause) : undefined
}

function refusalOf({ statusCode: status = 0, data }: APICallError, apiKey: string | null): EngineError {
  const word = wordIn(data, apiKey)
  const said = word === undefined ? `(${status})` : `(${status}, ${word})`
  if (status < 300) return passing('The answer of the provider is not valid JSON of its protocol.')
  if (status < 400) return final(`The address of the provider leads elsewhere, which is not followed ${said}.`)
  if (status >= 500) return passing(`The provider has an error of its own ${said}.`)
  if (status === 429) return passing(`The provider is asked too often, or its quota is used up ${said}.`)
  if (passingStatus.has(status) || (word !== undefined && passingWord.test(word))) {
    return passing(`The provider did not take the request ${said}.`)
  }
  return final(`${finalSentences[status] ?? 'The provider refuses the request'} ${said}.`)
}

const passingStatus = new Set([408, 409, 425])

/** An error that comes inside an answer has no status of its own: the library calls it 400. */
const passingWord = /^(server_error|rate_limit_exceeded|overloaded_error)$/

const finalSentences: Record<number, string | undefined> = {
  401: 'The provider does not accept the key',
  402: 'The provider asks for payment',
  403: 'The provider does not let this key use the model',
  404: 'The provider does not know the model, or its address is wrong',
}

/** `invalid_api_key`, `model_not_found`: a word that names the error, unless it could be anything else. */
function wordIn(data: unknown, apiKey: string | null): string | undefined {
  const error = typeof data === 'object' && data !== null && 'error' in data ? data.error : undefined
  if (typeof error !== 'object' || error === null) return undefined
  const word = [Reflect.get(error, 'code'), Reflect.get(error, 'type')].find(
    (name) => typeof name === 'string' && /^[a-z]{1,20}(_[a-z]{1,20}){0,4}$/.test(name),
  )
  return word === undefined || (apiKey && word.includes(apiKey)) ? undefined : word
}

function passing(sentence: string): EngineError {
  return new EngineError(sentence, { isFinal: false })
}

function final(sentence: string): EngineError {
  return new EngineError(sentence, { isFinal: true })
}
