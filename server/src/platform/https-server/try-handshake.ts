import { once } from 'node:events'
import { duplexPair } from 'node:stream'
import { type ConnectionOptions, connect, createSecureContext, TLSSocket } from 'node:tls'

/** Longer than a handshake takes on any machine, so that a start never hangs. */
const timeoutMs = 10_000

/**
 * Runs a TLS handshake with this certificate and key, in memory, between a server and a client of our own. Files that
 * load need not work: Node takes an empty key for a missing one, and then every handshake fails.
 */
export async function tryHandshake(
  pair: { cert: string; key: string },
  options: ConnectionOptions = { rejectUnauthorized: false },
): Promise<void> {
  const [near, far] = duplexPair()
  const secureContext = createSecureContext({ ...pair, minVersion: 'TLSv1.2' })
  const server = new TLSSocket(near, { isServer: true, secureContext })
  const client = connect({ socket: far, ...options })
  const failed = once(server, 'error').then(([error]) => Promise.reject(error))
  const tooSlow = new AbortController()
  const timer = setTimeout(() => tooSlow.abort(), timeoutMs)
  try {
    await Promise.race([once(client, 'secureConnect', { signal: tooSlow.signal }), failed])
  } finally {
    clearTimeout(timer)
    for (const socket of [client, server]) {
      socket.on('error', () => {}) // the other end is destroyed too
      socket.destroy()
    }
    failed.catch(() => {})
  }
}
