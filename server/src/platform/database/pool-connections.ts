import type { Socket } from 'node:net'
import type { Pool, PoolClient } from 'pg'
import { endSilent, onSilence, silentAfterMs } from './open-socket.ts'

/** The socket of a connection, which is one of TLS where the database asks for it. */
const socketOf = (client: PoolClient) => (client as unknown as { connection: { stream: Socket } }).connection.stream

/**
 * Ends a connection that hears nothing for so long while it is in use; 0: never. One that is idle hears nothing anyway, and
 * stays for minutes: when any connection of the process falls silent, the idle ones are ended too. There is one that is never
 * idle, the one that listens.
 */
export function endWhenSilent(pool: Pool, silentMs = silentAfterMs): void {
  const idle = new Set<Socket>()
  const stopListening = onSilence(() => {
    for (const socket of idle) socket.destroy()
  })
  pool.on('connect', (client) => {
    const socket = socketOf(client)
    socket.on('timeout', () => endSilent(socket))
    socket.once('close', () => idle.delete(socket))
  })
  pool.on('acquire', (client) => {
    const socket = socketOf(client)
    idle.delete(socket)
    socket.setTimeout(silentMs)
  })
  pool.on('release', (_, client) => {
    const socket = socketOf(client)
    if (socket.destroyed) return
    idle.add(socket)
    if (!pool.ending) socket.setTimeout(0)
  })
  const end = pool.end.bind(pool) as () => Promise<void>
  // Whoever ends a pool waits for the database to close each connection.
  Object.assign(pool, {
    end: () => {
      for (const socket of idle) socket.setTimeout(silentMs)
      return end().finally(stopListening)
    },
  })
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
