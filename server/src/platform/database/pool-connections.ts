import type { Socket } from 'node:net'
import type { Pool, PoolClient } from 'pg'
import { endSilent, onSilence, silentAfterMs } from './open-socket.ts'

/** The socket of a connection, which is one of TLS where the database asks for it. */
const socketOf = (client: PoolClient) => (client as unknown as { connection: { stream: Socket } }).connection.stream

/**
 * Ends a connection that hears nothing for so long while it is in use; 0: never. One that is idle hears nothing anyway, and
 * stays for minutes: when any connection of the process falls silent, the idle ones are closed too. There is one that is never
 * idle, the one that listens.
 */
export function endWhenSilent(pool: Pool, silentMs = silentAfterMs): void {
  const sockets = new Set<Socket>()
  const stopListening = onSilence(() => dropIdle(pool))
  pool.on('connect', (client) => {
    const socket = socketOf(client)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('timeout', () => endSilent(socket))
  })
  pool.on('acquire', (client) => socketOf(client).setTimeout(silentMs))
  pool.on('release', (_, client) => socketOf(client).setTimeout(pool.ending ? silentMs : 0))
  const end = pool.end.bind(pool) as () => Promise<void>
  // Whoever ends a pool waits for the database to close each connection.
  Object.assign(pool, {
    end: () => {
      stopListening()
      for (const socket of sockets) socket.setTimeout(silentMs)
      return end()
    },
  })
}

/** Closes the connections that nobody uses at the moment. */
export function dropIdle(pool: Pool): void {
  for (let left = pool.idleCount; left > 0; left -= 1) {
    pool.connect().then(
      (client) => client.release(true),
      () => {}, // it was lost meanwhile
    )
  }
}

/** After so long without use, a pool no longer keeps a spare connection. */
const coldAfterMs = 60_000

/**
 * Keeps one spare connection open, up to `warm` in all. Connecting takes several times as long as a statement, which
 * matters when the database is far away.
 */
export function keepWarm(pool: Pool, warm: number): void {
  let usedAt = Number.NEGATIVE_INFINITY
  let isOpening = false

  async function openSpare(): Promise<void> {
    const isInUse = !pool.ending && performance.now() - usedAt < coldAfterMs
    if (!isInUse || isOpening || pool.idleCount > 0 || pool.totalCount >= warm) return
    isOpening = true
    const usedBefore = usedAt
    const client = await pool.connect().catch(() => undefined) // the next caller tries again, and gets the error
    client?.release()
    usedAt = usedBefore
    isOpening = false
  }

  pool.on('acquire', () => {
    usedAt = performance.now()
    void openSpare()
  })
  pool.on('remove', () => void openSpare())
}
