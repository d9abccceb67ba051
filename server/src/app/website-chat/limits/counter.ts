import { BoundedMap } from '../../../platform/collections.ts'

/** At most so many in so long, from the first of them on. */
export type Rule = { most: number; withinMs: number }

/** What a key would take: it counts against each of the rules. */
type Claim = { key: string; rules: readonly Rule[]; amount?: number | undefined }

export type Counter = {
  /** How long until there is room for the claim; 0: there is. */
  waitMs: (claim: Claim, at: number) => number
  add: (claim: Claim, at: number) => void
  readonly size: number
}

type Window = { until: number; count: number }

/** Counts in memory, for so many keys at most: what it forgets then, wider layers still hold. */
export function openCounter(mostKeys: number): Counter {
  const kept = new BoundedMap<string, Window[]>(mostKeys)
  return {
    waitMs: ({ key, rules, amount = 1 }, at) => {
      const windows = kept.get(key)
      const waits = rules.map(({ most }, n) => {
        const window = windows?.[n]
        const isOpen = window !== undefined && window.until > at
        return (isOpen ? window.count : 0) + amount <= most ? 0 : isOpen ? window.until - at : 1
      })
      return Math.max(0, ...waits)
    },
    add: ({ key, rules, amount = 1 }, at) => {
      const windows = kept.getOrInsertComputed(key, () => rules.map(() => ({ until: 0, count: 0 })))
      for (const [n, { withinMs }] of rules.entries()) {
        const window = windows[n]
        if (!window) continue
        if (window.until <= at) Object.assign(window, { until: at + withinMs, count: 0 })
        window.count += amount
      }
    },
    get size() {
      return kept.size
    },
  }
}
