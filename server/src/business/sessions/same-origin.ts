import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../platform/refusal.ts'

/**
 * Refuses a change that another site's page asks for (CSRF). Browsers of the last years say where a request comes from
 * in `Sec-Fetch-Site`, others send `Origin`; a client that sends neither is no browser and has no cookie by itself.
 */
export function refuseCrossSite({ method, headers }: FastifyRequest): Refusal | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined
  const site = headers['sec-fetch-site']
  if (site !== undefined ? site === 'same-origin' : isOwnOrigin(headers.origin, headers.host)) return undefined
  return new Refusal('FORBIDDEN', 'This request came from another site; nothing was changed.')
}

function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true
  return URL.canParse(origin) && new URL(origin).host === host
}
