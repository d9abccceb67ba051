import { type Connection, connect, type Target } from './connection.ts'

/** What goes over one connection, one request after another. */
export type RequestSource = {
  /** The next request, whole. Its time counts from `dueAt`. */
  next: (dueAt: number) => string
  answered: (status: number, body: string) => void
  /** The server ended the connection. */
  dropped: () => void
}

export type LoadConnection = {
  /** Without a clock, it sends its next request as soon as it has its answer. */
  start: (clock?: Clock) => void
  /** Sends nothing more; resolves when the last answer is there. */
  stop: () => Promise<void>
  close: () => void
}

export type Clock = ReturnType<typeof openClock>

/**
 * Requests fall due at a steady rate, whether or not earlier ones were answered, and their time counts from then: a
 * server that stalls is not spared the requests it would have had in the meantime.
 */
export function openClock(requestsPerSecond: number) {
  const startedAt = performance.now()
  const waiting: (() => void)[] = []
  let taken = 0
  const dueAt = () => startedAt + (taken / requestsPerSecond) * 1_000
  const timer = setInterval(() => {
    while (waiting.length > 0 && dueAt() <= performance.now()) waiting.shift()?.()
  }, 1)
  return {
    /** The time that the next request was due, or undefined; then `retry` is called when it is. */
    take: (retry: () => void): number | undefined => {
      const due = dueAt()
      if (due > performance.now()) {
        waiting.push(retry)
        return undefined
      }
      taken += 1
      return due
    },
    stop: () => clearInterval(timer),
  }
}

/** One connection at work. When the server ends it, another takes its place. */
export async function openLoadConnection(target: Target, source: RequestSource): Promise<LoadConnection> {
  let [isRunning, isBusy, isClosed] = [false, false, false]
  let clock: Clock | undefined
  let rested = Promise.withResolvers<void>()
  let connection = await open()

  function open(): Promise<Connection> {
    return connect(target, { answered, closed })
  }
  function goOn(): void {
    if (!isRunning) rested.resolve()
    if (!isRunning || isBusy) return
    const due = clock ? clock.take(goOn) : performance.now()
    if (due === undefined) return
    isBusy = true
    connection.send(source.next(due))
  }
  function answered(status: number, body: string): void {
    isBusy = false
    source.answered(status, body)
    goOn()
  }
  function closed(): void {
    if (isClosed) return
    source.dropped()
    isBusy = true // until there is a connection again
    open().then((opened) => {
      connection = opened
      isBusy = false
      goOn()
    }, rested.reject)
  }

  return {
    start: (given) => {
      clock = given
      isRunning = true
      rested = Promise.withResolvers()
      goOn()
    },
    stop: () => {
      isRunning = false
      if (!isBusy) rested.resolve()
      return rested.promise
    },
    close: () => {
      isClosed = true
      connection.close()
    },
  }
}
