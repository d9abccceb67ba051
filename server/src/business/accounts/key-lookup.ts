import type { Pool } from 'pg'
import { BoundedMap } from '../../platform/collections.ts'
import { openBatchedLookup } from '../../platform/database/batched-lookup.ts'
import { hashApiKey } from './api-key.ts'
import { findKeyHolders, type KeyHolder } from './store.ts'

/** The time from the start of the query, so that a key replaced elsewhere is refused well within a second. */
const cachedMs = 500

/** Keys that were valid at their last look-up. */
const mostCached = 10_000

/** How many keys that are not cached may wait. More than that is a flood. */
const mostWaiting = 2_000

export type Caller = KeyHolder & { keyHash: string }

export type KeyLookup = {
  /** The holder of the key, if it was looked up a moment ago. */
  cached: (key: string) => Caller | undefined
  /** Queries the database; undefined when nobody holds the key. Rejects as busy when too many wait. */
  find: (key: string) => Promise<Caller | undefined>
}

/**
 * Looks up the holders of API keys.
 *
 * Cached keys are looked up by queries of their own, so that their holders do not queue behind a flood of wrong ones, and
 * those in use are refreshed before they expire. Wrong keys are not cached: one may become valid.
 */
export function openKeyLookup(pool: Pool): KeyLookup {
  const cache = new BoundedMap<string, { caller: Caller; until: number; isRefreshing: boolean }>(mostCached)

  function store(key: string, caller: Caller | undefined, queriedAt: number): void {
    if (caller) cache.set(key, { caller, until: queriedAt + cachedMs, isRefreshing: false })
    else cache.delete(key)
  }

  const common = { query: (keys: string[]) => findCallers(pool, keys), note: store }
  // No more cached keys can wait than there are. A second query runs beside the first when the database is slow. For a key
  // that was valid, the result of a query in flight is as good as the cache.
  const findCached = openBatchedLookup({ ...common, mostWaiting: mostCached, mostAtOnce: 2, mayJoin: true })
  const findUncached = openBatchedLookup({ ...common, mostWaiting, mostAtOnce: 1, mayJoin: false })

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

/** The callers with these keys, by the key. */
async function findCallers(pool: Pool, keys: string[]): Promise<Map<string, Caller>> {
  const hashes = keys.map(hashApiKey)
  const holders = await findKeyHolders(pool, hashes)
  const callers = new Map<string, Caller>()
  for (const [n, key] of keys.entries()) {
    const keyHash = hashes[n]?.toString('hex') ?? ''
    const holder = holders.get(keyHash)
    if (holder) callers.set(key, { ...holder, keyHash })
  }
  return callers
}
