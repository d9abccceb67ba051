import { once } from 'node:events'
import { duplexPair } from 'node:stream'
import { type ConnectionOptions, connect, createSecureContext, TLSSocket } from 'node:tls'

type Pair = { cert: string; key: string }

/** No machine is so slow, and none should wait for ever. */
const withinMs = 10_000

/**
 * Opens a TLS connection with this certificate and key, from ourselves to ourselves and in memory. Files that can be
 * loaded need not work: an empty key is taken for none, and then every handshake fails.
 */
export async function tryHandshake(
  pair: Pair,
  options: ConnectionOptions = { rejectUnauthorized: false },
): Promise<void> {
  const [near, far] = duplexPair()
  const secureContext = createSecureContext({ ...pair, minVersion: 'TLSv1.2' })
  const server = new TLSSocket(near, { isServer: true, secureContext })
  const client = connect({ socket: far, ...options })
  const failed = once(server, 'error').then(([error]) => Promise.reject(error))
  try {
    await Promise.race([once(client, 'secureConnect', { signal: AbortSignal.timeout(withinMs) }), failed])
  } finally {
    for (const socket of [client, server]) {
      socket.on('error', () => {}) // the other end is gone
      socket.destroy()
    }
    failed.catch(() => {})
  }
}
