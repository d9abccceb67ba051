import type { Connection } from './requests-in-flight.ts'

/**
 * Ends connections whose peers read no answers and send no body. One look at all of them now and then: a timer that is
 * set back by every byte would cost a tenth of a small request.
 */
export function endStuck(connections: Iterable<Connection>, now = performance.now()): void {
  for (const connection of connections) if (connection.isStuck(now)) connection.socket.destroy()
}

/** Of the connections that have nothing to do, the one that has been silent for longest, if that is some time. */
export function longestIdle(connections: Iterable<Connection>): Connection | undefined {
  let found: Connection | undefined
  const before = performance.now() - idleMs
  for (const connection of connections) {
    const isOlder = connection.heardAt < (found?.heardAt ?? before)
    if (isOlder && connection.isIdle()) found = connection
  }
  return found
}

/** Who asks about once a second or more often keeps the connection. */
const idleMs = 1_500
