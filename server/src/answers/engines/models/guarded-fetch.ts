import { type Answer as OutboundAnswer, OutboundError } from '../../../platform/outbound/call.ts'
import type { Outbound } from '../../../platform/outbound/client.ts'
import { EngineError } from '../common/engine.ts'

/** The signal aborts a call at the deadline, with the reason; the client's own timeout comes later, as a safeguard. */
const graceMs = 1_000
/** Model answers have a few kilobytes. */
const mostBytes = 1_048_576

/**
 * A `fetch` for the model library that uses our outbound client, the only one that may call an address that a tenant
 * chose. `leftMs` is the time left until the deadline of the answer; a longer Retry-After fails at once.
 */
export function guardFetch(outbound: Outbound, leftMs: () => number): typeof fetch {
  return async (input, init) => {
    if (input instanceof Request || typeof init?.body !== 'string' || init.method !== 'POST') {
      throw new TypeError('a model is called by POST, with a text body')
    }
    const call = {
      method: 'POST',
      url: String(input),
      // We never decompress.
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
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
      // The library retries only errors with this message.
      if (error instanceof OutboundError && passing.has(error.category)) {
        throw new TypeError('fetch failed', { cause: error })
      }
      throw error
    }
  }
}

const passing = new Set(['connection_refused', 'connection_reset', 'dns_error'])

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
  const isStatus = status >= 200 && status <= 599 // outside of this range, the constructor of Response throws
  return new Response(hasNoBody ? null : new Uint8Array(body), { status: isStatus ? status : 502, headers: named })
}
