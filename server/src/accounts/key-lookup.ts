import type { Db } from '../platform/db.ts'
import { hashApiKey } from './api-key.ts'
import { findKeyHolders, type KeyHolder } from './store.ts'

/** Counted from before the question was asked, so that a key replaced elsewhere is refused well within a second. */
const rememberedMs = 500

export type Caller = KeyHolder & { keyHash: string }

export type KeyLookup = {
  /** Whose key it is, if that was asked a moment ago. */
  remembered: (key: string) => Caller | undefined
  /** Asks the database; undefined when it is nobody's. */
  find: (key: string) => Promise<Caller | undefined>
}

/**
 * Answers whose key it is.
 *
 * One question is on its way at a time, and everything that arrives meanwhile goes into the next. A flood of wrong
 * keys therefore costs the database one cheap query after another and never its connections, and a right key among
 * them waits for two of those at most. Wrong keys are not remembered: one may become right.
 */
export function openKeyLookup(db: Db): KeyLookup {
  const memory = new Map<string, { caller: Caller; until: number }>()
  let waiting = new Map<string, PromiseWithResolvers<Caller | undefined>>()
  let asking = false

  async function ask(): Promise<void> {
    asking = true
    while (waiting.size > 0) {
      const asked = waiting
      waiting = new Map()
      const until = performance.now() + rememberedMs
      forgetOld()
      try {
        const hashes = new Map([...asked.keys()].map((key) => [key, hashApiKey(key)]))
        const holders = await findKeyHolders(db, [...hashes.values()])
        for (const [key, answer] of asked) {
          const keyHash = hashes.get(key)?.toString('hex') ?? ''
          const holder = holders.get(keyHash)
          const caller = holder && { ...holder, keyHash }
          if (caller) memory.set(key, { caller, until })
          answer.resolve(caller)
        }
      } catch (error) {
        for (const answer of asked.values()) answer.reject(error)
      }
    }
    asking = false
  }

  function forgetOld(): void {
    const now = performance.now()
    for (const [key, { until }] of memory) if (until <= now) memory.delete(key)
  }

  return {
    remembered: (key) => {
      const known = memory.get(key)
      return known && known.until > performance.now() ? known.caller : undefined
    },
    find: (key) => {
      const answer = waiting.getOrInsertComputed(key, () => Promise.withResolvers<Caller | undefined>())
      if (!asking) void ask()
      return answer.promise
    },
  }
}
