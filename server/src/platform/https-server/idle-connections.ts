import type { Connection } from './requests-in-flight.ts'

/**
 * Closes connections whose peers neither read answers nor send a body. Called for all of them every few seconds: a timer
 * that every byte resets would cost a tenth of a small request.
 */
export function closeStuck(connections: Iterable<Connection>, now = performance.now()): void {
  for (const connection of connections) if (connection.isStuck(now)) connection.socket.destroy()
}

/** The connection without a request that has been silent for longest, if that is longer than `idleMs`. */
export function findLongestIdle(connections: Iterable<Connection>): Connection | undefined {
  let found: Connection | undefined
  const before = performance.now() - idleMs
  for (const connection of connections) {
    const isOlder = connection.receivedAt < (found?.receivedAt ?? before)
    if (isOlder && connection.isIdle()) found = connection
  }
  return found
}

/**
 * Closes connections without a request that have been silent for a while, of a server that stops: Node closes at once only those
 * that have had a request, waits for all others, and does not look at their time limits any more. A browser may keep one
 * that it never used for minutes.
 */
export function closeSilent(connections: Iterable<Connection>): void {
  const before = performance.now() - idleMs
  for (const connection of connections)
    if (connection.receivedAt < before && connection.isIdle()) connection.socket.destroy()
}

/** A client that sends about one request a second or more keeps its connection. */
const idleMs = 1_500
