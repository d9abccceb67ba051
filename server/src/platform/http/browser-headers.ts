import { isIP } from 'node:net'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/ip-ranges.ts'

/** What an answer to this address says to a browser, whatever the answer is. */
export type HeadersOf = (url: string) => Record<string, string>

/**
 * Returns the headers of every answer outside the public API, refusals too: nothing in it runs, it is shown in no frame
 * and taken for nothing else than it says, and no other site learns its address. A page or file says more about itself.
 */
export function browserHeaders(config: Pick<Config, 'publicUrl' | 'tlsFiles' | 'trustedProxies'>): HeadersOf {
  const headers = {
    'cache-control': 'no-store', // answers belong to one user, and are read again each time
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer', // addresses contain ids
    'x-content-type-options': 'nosniff',
    ...(isForHttpsOnly(config) && { 'strict-transport-security': 'max-age=31536000' }),
  }
  return (url) => (url.startsWith('/v1/') ? none : headers)
}

const none = {}

/**
 * True only with the operator's own certificate or behind a proxy: a browser that was told so once would refuse to show
 * a self-signed certificate at all. Never for this machine, where other programs use the same name.
 */
function isForHttpsOnly({ publicUrl, tlsFiles, trustedProxies }: Parameters<typeof browserHeaders>[0]): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  const isLocal = isLoopback(hostname) || hostname.endsWith('.localhost') || isIP(hostname.replace(/[[\]]/g, '')) !== 0
  return protocol === 'https:' && !isLocal && (tlsFiles !== undefined || !trustedProxies.isEmpty)
}
