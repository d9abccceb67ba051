import type { Db } from '../platform/db.ts'
import { hashApiKey } from './api-key.ts'
import { findKeyHolders, type KeyHolder } from './store.ts'

/** Counted from before the question was asked, so that a key replaced elsewhere is refused well within a second. */
const rememberedMs = 500

export type Caller = KeyHolder & { keyHash: string }
export type KeyLookup = (key: string) => Promise<Caller | undefined>

/**
 * Answers whose key it is, from memory or by asking the database.
 *
 * One question is on its way at a time, and everything that arrives meanwhile goes into the next. A flood of wrong
 * keys therefore costs the database one cheap query after another and never its connections, and a right key among
 * them waits for two of those at most. Wrong keys are not remembered: one may become right.
 */
export function openKeyLookup(db: Db): KeyLookup {
  const remembered = new Map<string, { caller: Caller; until: number }>()
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
        const holders = await findKeyHolders(
          db,
          [...asked.keys()].map((keyHash) => Buffer.from(keyHash, 'hex')),
        )
        for (const [keyHash, answer] of asked) {
          const holder = holders.get(keyHash)
          const caller = holder && { ...holder, keyHash }
          if (caller) remembered.set(keyHash, { caller, until })
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
    for (const [keyHash, { until }] of remembered) if (until <= now) remembered.delete(keyHash)
  }

  return (key) => {
    const keyHash = hashApiKey(key).toString('hex')
    const known = remembered.get(keyHash)
    if (known && known.until > performance.now()) return Promise.resolve(known.caller)
    const answer = waiting.getOrInsertComputed(keyHash, () => Promise.withResolvers<Caller | undefined>())
    if (!asking) void ask()
    return answer.promise
  }
}
