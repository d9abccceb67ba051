import { Socket } from 'node:net'

/**
 * A database that is gone without closing the connection cannot end a statement that takes too long, and TCP notices
 * only after a quarter of an hour. One that is alive sends something well within this time: statements and idle
 * transactions have 10 s, and the pool closes connections that were idle for as long.
 */
const defaultSocketTimeoutMs = 15_000

/** A socket to the database that is destroyed when nothing was received for so long; 0: never. */
export function openSocket(socketTimeoutMs = defaultSocketTimeoutMs): Socket {
  const socket = new Socket()
  return socket.setTimeout(socketTimeoutMs, () => socket.destroy(new Error('The database has fallen silent.')))
}
