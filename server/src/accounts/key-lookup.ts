import type { Pool } from 'pg'
import { retryOnLostConnection } from '../platform/database/retry-on-lost-connection.ts'
import { busy } from '../platform/refusal.ts'
import { hashApiKey } from './api-key.ts'
import { findKeyHolders, type KeyHolder } from './store.ts'

/** Counted from the start of the query, so that a key replaced elsewhere is refused well within a second. */
const cachedMs = 500

/** Keys that were valid at their last look-up. */
const mostCached = 10_000

/** Bounds for keys that are not cached. More than that is a flood. */
const mostWaiting = 2_000
const mostKeysPerQuery = 256

export type Caller = KeyHolder & { keyHash: string }

export type KeyLookup = {
  /** The holder of the key, if it was looked up a moment ago. */
  cached: (key: string) => Caller | undefined
  /** Queries the database; undefined when nobody holds the key. Rejects as busy when too many wait. */
  find: (key: string) => Promise<Caller | undefined>
}

type CachedKey = { caller: Caller; until: number; isRefreshing: boolean }

/**
 * Looks up the holders of API keys.
 *
 * Few queries run at a time, and keys that arrive meanwhile go into the next one. A flood of wrong keys therefore costs
 * the database one cheap query after another, and its queue is bounded. Cached keys are looked up by queries of their
 * own, so that their holders do not queue behind a flood, and those in use are refreshed before they expire. Wrong keys
 * are not cached: one may become valid.
 */
export function openKeyLookup(pool: Pool): KeyLookup {
  const cache = new Map<string, CachedKey>()

  function store(key: string, caller: Caller | undefined, queriedAt: number): void {
    cache.delete(key) // so that the entries stay ordered by their last look-up
    if (!caller) return
    cache.set(key, { caller, until: queriedAt + cachedMs, isRefreshing: false })
    if (cache.size > mostCached) for (const [oldest] of cache.entries().take(1)) cache.delete(oldest)
  }

  // No more cached keys can wait than there are. A second query runs beside the first when the database is slow.
  const findCached = openBatchedLookup(pool, store, { mostWaiting: mostCached, mostAtOnce: 2, mayJoin: true })
  const findUncached = openBatchedLookup(pool, store, { mostWaiting, mostAtOnce: 1, mayJoin: false })

  return {
    cached: (key) => {
      const found = cache.get(key)
      if (!found) return undefined
      const leftMs = found.until - performance.now()
      if (leftMs <= 0) return undefined
      if (leftMs < cachedMs / 2 && !found.isRefreshing) {
        found.isRefreshing = true
        findCached(key).catch(() => {}) // a request after expiry queries by itself and gets the error
      }
      return found.caller
    },
    find: (key) => (cache.has(key) ? findCached(key) : findUncached(key)),
  }
}

/** A second query beside a running one is worth a connection only when the first is slow. */
const slowMs = 20

type Store = (key: string, caller: Caller | undefined, queriedAt: number) => void
type Bounds = {
  mostWaiting: number
  mostAtOnce: number
  /** Whether a request may share a query in flight: for a key that was valid its result is as good as the cache. */
  mayJoin: boolean
}

function openBatchedLookup(pool: Pool, store: Store, bounds: Bounds): KeyLookup['find'] {
  const waiting = new Map<string, PromiseWithResolvers<Caller | undefined>>()
  const inFlight = new Map<string, Promise<Caller | undefined>>()
  let running = 0
  let lastQueryAt = 0

  function queryNext(): void {
    if (waiting.size === 0 || running >= bounds.mostAtOnce) return
    if (running > 0 && performance.now() - lastQueryAt < slowMs) return
    const batch = [...waiting.entries().take(mostKeysPerQuery)]
    for (const [key, { promise }] of batch) {
      waiting.delete(key)
      if (bounds.mayJoin) inFlight.set(key, promise)
    }
    running += 1
    void query(batch).finally(() => {
      running -= 1
      for (const [key, { promise }] of batch) if (inFlight.get(key) === promise) inFlight.delete(key)
      queryNext()
    })
  }

  async function query(batch: [string, PromiseWithResolvers<Caller | undefined>][]): Promise<void> {
    try {
      const hashes = batch.map(([key]) => hashApiKey(key))
      let at = 0
      const holders = await retryOnLostConnection(() => {
        at = lastQueryAt = performance.now()
        return findKeyHolders(pool, hashes)
      })
      for (const [n, [key, answer]] of batch.entries()) {
        const keyHash = hashes[n]?.toString('hex') ?? ''
        const holder = holders.get(keyHash)
        const caller = holder && { ...holder, keyHash }
        store(key, caller, at)
        answer.resolve(caller)
      }
    } catch (error) {
      for (const [, answer] of batch) answer.reject(error)
    }
  }

  return (key) => {
    const first = waiting.get(key)?.promise ?? inFlight.get(key)
    if (first) return first
    if (waiting.size >= bounds.mostWaiting) return Promise.reject(busy())
    const answer = Promise.withResolvers<Caller | undefined>()
    waiting.set(key, answer)
    queryNext()
    return answer.promise
  }
}
