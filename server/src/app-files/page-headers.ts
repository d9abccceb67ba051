import { isIP } from 'node:net'
import type { Config } from '../platform/config/config.ts'
import { isLoopback } from '../platform/config/ip-ranges.ts'

/** Nothing but our own files, and no way to turn text into HTML or script, whatever a message says. */
const contentPolicy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'font-src', 'connect-src', 'worker-src', 'manifest-src'].map(
    (directive) => `${directive} 'self'`,
  ),
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export function pageHeaders(config: Pick<Config, 'publicUrl' | 'tlsFiles' | 'trustedProxies'>): Record<string, string> {
  return {
    'cache-control': 'no-cache', // it names the current files
    'content-security-policy': contentPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'no-referrer', // addresses contain ids
    'x-content-type-options': 'nosniff',
    ...(isForHttpsOnly(config) && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/**
 * Only with the operator's own certificate or behind a proxy: a browser that was told so once would refuse to show a
 * self-signed certificate at all. Never for this machine, where other programs use the same name.
 */
function isForHttpsOnly({ publicUrl, tlsFiles, trustedProxies }: Parameters<typeof pageHeaders>[0]): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  const isLocal = isLoopback(hostname) || hostname.endsWith('.localhost') || isIP(hostname.replace(/[[\]]/g, '')) !== 0
  return protocol === 'https:' && !isLocal && (tlsFiles !== undefined || !trustedProxies.isEmpty)
}
