import type { Connection } from './requests-in-flight.ts'

/**
 * Closes connections whose peers neither read answers nor send a body. Called for all of them every few seconds: a timer
 * that every byte resets would cost a tenth of a small request.
 */
export function closeStuck(connections: Iterable<Connection>, now = performance.now()): void {
  for (const connection of connections) if (connection.isStuck(now)) connection.socket.destroy()
}

/**
 * Finds the connection without a request that has been silent for longest, if that is longer than `idleMs`. All are looked at
 * once for many that are found: where newcomers take the places of others, one look for each took a seventh of the
 * processor time of a server under a flood.
 */
export function openIdleSearch(connections: Iterable<Connection>): () => Connection | undefined {
  /** The one that has been silent for longest at the end. */
  let found: { connection: Connection; receivedAt: number }[] = []
  let lookedAt = Number.NEGATIVE_INFINITY

  function lookAtAll(now: number): void {
    lookedAt = now
    found = []
    for (const connection of connections) {
      const { receivedAt } = connection
      if (receivedAt < now - idleMs && connection.isIdle()) found.push({ connection, receivedAt })
    }
    found = found.sort((one, other) => other.receivedAt - one.receivedAt).slice(-mostFound)
  }

  /** Of those that were found: some have had a request since, or are closed. */
  function takeOne(): Connection | undefined {
    for (let last = found.pop(); last; last = found.pop()) {
      const { connection, receivedAt } = last
      if (connection.receivedAt === receivedAt && connection.isIdle()) return connection
    }
    return undefined
  }

  return () => {
    const one = takeOne()
    const now = performance.now()
    if (one || now - lookedAt < betweenLooksMs) return one
    lookAtAll(now)
    return takeOne()
  }
}

/** Of one look: 640 newcomers a second are more than a server can greet, and few are kept in memory once they are closed. */
const mostFound = 64

/** Who has become silent since the last look is found by the next one. */
const betweenLooksMs = 100

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
