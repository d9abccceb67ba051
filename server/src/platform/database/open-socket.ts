import { Socket } from 'node:net'

/**
 * A database that is gone without closing the connection cannot end a statement that takes too long, and TCP notices
 * only after a quarter of an hour. One that is alive sends something well within this time: statements and idle
 * transactions have 10 s.
 */
export const silentAfterMs = 15_000

const whenSilent = new Set<() => void>()

/** Calls back when any connection of this process has fallen silent: the database may be gone for all of them. Returns what ends it. */
export function onSilence(callback: () => void): () => void {
  whenSilent.add(callback)
  return () => void whenSilent.delete(callback)
}

export function endSilent(socket: Socket): void {
  socket.destroy(new Error('The database has fallen silent.'))
  for (const callback of whenSilent) callback()
}

/** A socket to the database that is destroyed when nothing was received for so long; 0: never. */
export function openSocket(socketTimeoutMs = silentAfterMs): Socket {
  const socket = new Socket()
  return socket.setTimeout(socketTimeoutMs, () => endSilent(socket))
}
