import type { Pool } from 'pg'
import { retryWhenLost } from '../platform/database/retry-when-lost.ts'
import { busy } from '../platform/refusal.ts'
import { hashApiKey } from './api-key.ts'
import { findKeyHolders, type KeyHolder } from './store.ts'

/** Counted from before the question was asked, so that a key replaced elsewhere is refused well within a second. */
const rememberedMs = 500

/** Keys that were right when they were last asked for. */
const mostKnown = 10_000

/** Of keys that nobody knows. More than that is a flood. */
const mostWaiting = 2_000
const mostInQuestion = 256

export type Caller = KeyHolder & { keyHash: string }

export type KeyLookup = {
  /** Whose key it is, if that was asked a moment ago. */
  remembered: (key: string) => Caller | undefined
  /** Asks the database; undefined when it is nobody's. Busy when too many wait. */
  find: (key: string) => Promise<Caller | undefined>
}

type Known = { caller: Caller; until: number; isAskedAgain: boolean }

/**
 * Answers whose key it is.
 *
 * A few questions are on their way at a time, and what arrives meanwhile goes into the next. A flood of wrong keys
 * therefore costs the database one cheap query after another, and what it makes wait is bounded. Keys that were right
 * before are asked for apart, so that their holders do not queue behind it; and those in use are asked for again before
 * their time is over. Wrong keys are not remembered: one may become right.
 */
export function openKeyLookup(pool: Pool): KeyLookup {
  const known = new Map<string, Known>()

  function learn(key: string, caller: Caller | undefined, askedAt: number): void {
    known.delete(key) // so that the order is that of the last answer
    if (!caller) return
    known.set(key, { caller, until: askedAt + rememberedMs, isAskedAgain: false })
    if (known.size > mostKnown) for (const [oldest] of known.entries().take(1)) known.delete(oldest)
  }

  // No more wait for a known one than are known. A second question leaves when the database is far away.
  const ofKnown = openQuestions(pool, learn, { mostWaiting: mostKnown, mostAtOnce: 2, mayJoin: true })
  const ofUnknown = openQuestions(pool, learn, { mostWaiting, mostAtOnce: 1, mayJoin: false })

  return {
    remembered: (key) => {
      const found = known.get(key)
      if (!found) return undefined
      const leftMs = found.until - performance.now()
      if (leftMs <= 0) return undefined
      if (leftMs < rememberedMs / 2 && !found.isAskedAgain) {
        found.isAskedAgain = true
        ofKnown(key).catch(() => {}) // whoever comes after its time asks for himself, and is told
      }
      return found.caller
    },
    find: (key) => (known.has(key) ? ofKnown(key) : ofUnknown(key)),
  }
}

/** A question beside another one is worth its connection only when the first takes long. */
const slowMs = 20

type Learn = (key: string, caller: Caller | undefined, askedAt: number) => void
type Bounds = {
  mostWaiting: number
  mostAtOnce: number
  /** The answer to a question that is on its way will do: a key that was right is as right as one that is remembered. */
  mayJoin: boolean
}

function openQuestions(pool: Pool, learn: Learn, bounds: Bounds): KeyLookup['find'] {
  const waiting = new Map<string, PromiseWithResolvers<Caller | undefined>>()
  const onTheWay = new Map<string, Promise<Caller | undefined>>()
  let asking = 0
  let askedAt = 0

  function askNext(): void {
    if (waiting.size === 0 || asking >= bounds.mostAtOnce) return
    if (asking > 0 && performance.now() - askedAt < slowMs) return
    const asked = [...waiting.entries().take(mostInQuestion)]
    for (const [key, { promise }] of asked) {
      waiting.delete(key)
      if (bounds.mayJoin) onTheWay.set(key, promise)
    }
    asking += 1
    void ask(asked).finally(() => {
      asking -= 1
      for (const [key, { promise }] of asked) if (onTheWay.get(key) === promise) onTheWay.delete(key)
      askNext()
    })
  }

  async function ask(asked: [string, PromiseWithResolvers<Caller | undefined>][]): Promise<void> {
    try {
      const hashes = asked.map(([key]) => hashApiKey(key))
      let at = 0
      const holders = await retryWhenLost(() => {
        at = askedAt = performance.now()
        return findKeyHolders(pool, hashes)
      })
      for (const [n, [key, answer]] of asked.entries()) {
        const keyHash = hashes[n]?.toString('hex') ?? ''
        const holder = holders.get(keyHash)
        const caller = holder && { ...holder, keyHash }
        learn(key, caller, at)
        answer.resolve(caller)
      }
    } catch (error) {
      for (const [, answer] of asked) answer.reject(error)
    }
  }

  return (key) => {
    const first = waiting.get(key)?.promise ?? onTheWay.get(key)
    if (first) return first
    if (waiting.size >= bounds.mostWaiting) return Promise.reject(busy())
    const answer = Promise.withResolvers<Caller | undefined>()
    waiting.set(key, answer)
    askNext()
    return answer.promise
  }
}
