import { busy } from '../refusal.ts'
import { retryOnLostConnection } from './retry.ts'

/** Looks up the value of a key; undefined: there is none. Rejects as busy when too many wait. */
export type BatchedLookup<Value> = (key: string) => Promise<Value | undefined>

type Options<Value> = {
  /** Runs one query for all of these keys; those that nothing was found for are left out of the answer. */
  query: (keys: string[]) => Promise<Map<string, Value>>
  /** Called with each result and when its query began. */
  note?: (key: string, found: Value | undefined, queriedAt: number) => void
  mostWaiting: number
  /** How many queries may run at a time: each needs a connection. */
  mostAtOnce: number
  /** The least time between the beginnings of two queries: under a flood each is for all who came meanwhile. */
  betweenMs?: number
  /** Whether a request may share a query in flight, which began before the request came. */
  mayJoin: boolean
}

const mostKeysPerQuery = 256

/** A second query beside a running one is worth a connection only when the first is slow. */
const slowMs = 20

/**
 * Looks up what anybody may ask for: few queries run at a time, and keys that arrive meanwhile go into the next one. A
 * flood of wrong keys therefore costs the database one cheap query after another, and its queue is bounded.
 */
export function openBatchedLookup<Value>({
  query,
  note,
  betweenMs = 0,
  ...bounds
}: Options<Value>): BatchedLookup<Value> {
  type PendingKey = [string, PromiseWithResolvers<Value | undefined>]
  const waiting = new Map<string, PromiseWithResolvers<Value | undefined>>()
  const inFlight = new Map<string, Promise<Value | undefined>>()
  let running = 0
  let lastQueryAt = Number.NEGATIVE_INFINITY
  let pause: NodeJS.Timeout | undefined

  function queryNext(): void {
    if (waiting.size === 0 || running >= bounds.mostAtOnce || pause) return
    const sinceMs = performance.now() - lastQueryAt
    if (running > 0 && sinceMs < slowMs) return
    if (sinceMs < betweenMs) {
      pause = setTimeout(goOn, betweenMs - sinceMs)
      return
    }
    lastQueryAt = performance.now()
    const batch = [...waiting.entries().take(mostKeysPerQuery)]
    for (const [key, { promise }] of batch) {
      waiting.delete(key)
      if (bounds.mayJoin) inFlight.set(key, promise)
    }
    running += 1
    void answerBatch(batch).finally(() => {
      running -= 1
      for (const [key, { promise }] of batch) if (inFlight.get(key) === promise) inFlight.delete(key)
      queryNext()
    })
  }

  function goOn(): void {
    pause = undefined
    queryNext()
  }

  async function answerBatch(batch: PendingKey[]): Promise<void> {
    try {
      let at = 0
      const results = await retryOnLostConnection(() => {
        at = lastQueryAt = performance.now()
        return query(batch.map(([key]) => key))
      })
      for (const [key, answer] of batch) {
        const found = results.get(key)
        note?.(key, found, at)
        answer.resolve(found)
      }
    } catch (error) {
      for (const [, answer] of batch) answer.reject(error)
    }
  }

  return (key) => {
    const first = waiting.get(key)?.promise ?? inFlight.get(key)
    if (first) return first
    if (waiting.size >= bounds.mostWaiting) return Promise.reject(busy())
    const answer = Promise.withResolvers<Value | undefined>()
    waiting.set(key, answer)
    queryNext()
    return answer.promise
  }
}
