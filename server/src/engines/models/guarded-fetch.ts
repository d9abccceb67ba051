import type { Answer as OutboundAnswer } from '../../platform/outbound/call.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { OutboundError } from '../../platform/outbound/outbound-error.ts'
import { EngineError } from '../common/engine.ts'

/** The signal ends a call in time, and says why; the client's own limit only stands behind it. */
const graceMs = 1_000
/** An answer of a model has a few kilobytes. */
const mostBytes = 1_048_576

/**
 * The `fetch` of a model's library, by the one client that may call an address that a tenant chose. `leftMs` is what
 * remains of the time for the whole answer; a provider that asks for a longer pause is not waited for.
 */
export function guardFetch(outbound: Outbound, leftMs: () => number): typeof fetch {
  return async (input, init) => {
    if (input instanceof Request || typeof init?.body !== 'string' || init.method !== 'POST') {
      throw new TypeError('a model is asked by POST, with a text')
    }
    const call = {
      method: 'POST',
      url: String(input),
      headers: headersOf(init.headers),
      body: init.body,
      mostBytes,
      whenLarger: 'refuse',
      attemptMs: Math.max(0, leftMs()) + graceMs,
      signal: init.signal ?? undefined,
    } as const
    try {
      const answer = await outbound.request(call)
      assertPauseFits(answer, leftMs())
      return responseOf(answer)
    } catch (error) {
      // The library tries again what it knows by this name, and only that.
      if (error instanceof OutboundError && passing.has(error.category)) {
        throw new TypeError('fetch failed', { cause: error })
      }
      throw error
    }
  }
}

const passing = new Set(['connection_refused', 'connection_reset', 'dns_error'])

function headersOf(given: RequestInit['headers']): Record<string, string> {
  return { ...Object.fromEntries(new Headers(given)), 'accept-encoding': 'identity' } // we never decompress
}

function assertPauseFits({ status, headers }: OutboundAnswer, leftMs: number): void {
  if (status !== 429 && status < 500) return
  const seconds = Number(headers['retry-after'])
  const pauseMs = Number.isNaN(seconds) ? Date.parse(String(headers['retry-after'])) - Date.now() : seconds * 1000
  if (pauseMs >= leftMs) throw new EngineError(`The provider asks for a long pause (${status}).`, { isFinal: false })
}

function responseOf({ status, headers, body }: OutboundAnswer): Response {
  const hasNoBody = status === 204 || status === 205 || status === 304
  const named = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] satisfies [string, string]],
  )
  return new Response(hasNoBody ? null : new Uint8Array(body), { status: statusIn(status), headers: named })
}

/** A response cannot be made with a status outside of these; nobody knows what 600 or 99 means. */
function statusIn(status: number): number {
  return status >= 200 && status <= 599 ? status : 502
}
