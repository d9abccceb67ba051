import { APICallError, InvalidResponseDataError, RetryError } from 'ai'
import { OutboundError } from '../../../platform/outbound/call.ts'
import { EngineError } from '../common/engine.ts'

/**
 * Turns a failed model call into an EngineError. The library's error carries the whole request, and the provider's
 * message may quote it or the key; so only the status and the provider's error code are kept, and no cause.
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
  const code = errorCodeIn(data, apiKey)
  const detail = code === undefined ? `(${status})` : `(${status}, ${code})`
  if (status < 300) return passing('The answer of the provider is not valid JSON of its protocol.')
  if (status < 400) return final(`The address of the provider leads elsewhere, which is not followed ${detail}.`)
  if (status >= 500) return passing(`The provider has an error of its own ${detail}.`)
  if (status === 429) return passing(`The provider is asked too often, or its quota is used up ${detail}.`)
  if (passingStatus.has(status) || (code !== undefined && passingCode.test(code))) {
    return passing(`The provider did not take the request ${detail}.`)
  }
  return final(`${finalSentences[status] ?? 'The provider refuses the request'} ${detail}.`)
}

const passingStatus = new Set([408, 409, 425])

/** An error inside a 200 response has no status of its own: the library reports it as 400. */
const passingCode = /^(server_error|rate_limit_exceeded|overloaded_error)$/

const finalSentences: Record<number, string | undefined> = {
  401: 'The provider does not accept the key',
  402: 'The provider asks for payment',
  403: 'The provider does not let this key use the model',
  404: 'The provider does not know the model, or its address is wrong',
}

/** The error code, such as `invalid_api_key` or `model_not_found`; anything that does not look like one is dropped. */
function errorCodeIn(data: unknown, apiKey: string | null): string | undefined {
  const error = typeof data === 'object' && data !== null && 'error' in data ? data.error : undefined
  if (typeof error !== 'object' || error === null) return undefined
  const code = [Reflect.get(error, 'code'), Reflect.get(error, 'type')].find(
    (name) => typeof name === 'string' && /^[a-z]{1,20}(_[a-z]{1,20}){0,4}$/.test(name),
  )
  return code === undefined || (apiKey && code.includes(apiKey)) ? undefined : code
}

function passing(sentence: string): EngineError {
  return new EngineError(sentence, { isFinal: false })
}

function final(sentence: string): EngineError {
  return new EngineError(sentence, { isFinal: true })
}
