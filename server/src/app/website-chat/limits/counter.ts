import { BoundedMap } from '../../../platform/collections.ts'

/** At most so many in so long, from the first of them on. */
export type Rule = { most: number; withinMs: number }

/** What a key would take: it counts against each of the rules. `before`: another key of the same one, by which it may have been counted. */
type Claim = { key: string; before?: string | undefined; rules: readonly Rule[]; amount?: number | undefined }

export type Counter = {
  /** How long until there is room for the claim; 0: there is. */
  waitMs: (claim: Claim, at: number) => number
  add: (claim: Claim, at: number) => void
  readonly size: number
}

type Window = { until: number; count: number }

/**
 * Counts in memory, for so many keys at most. Beyond that those are forgotten that were asked about longest ago, and wider layers still
 * hold: who goes on and on is remembered, however many others come. What is over goes once nobody has asked about it for longer.
 */
export function openCounter(mostKeys: number): Counter {
  const kept = new BoundedMap<string, Window[]>(mostKeys)

  function forgetOld(at: number): void {
    for (let oldest = kept.oldest(); oldest; oldest = kept.oldest()) {
      if (kept.get(oldest.key)?.some(({ until }) => until > at)) return
      kept.delete(oldest.key)
    }
  }

  return {
    waitMs: ({ key, before, rules, amount = 1 }, at) => {
      const windows = kept.get(key)
      if (windows) kept.set(key, windows) // the newest of all
      const all = [windows, before === undefined ? undefined : kept.get(before)]
      const waits = rules.map(({ most }, n) => {
        const open = all.flatMap((windows) => windows?.[n] ?? []).filter(({ until }) => until > at)
        return waitForRoom(open, most - amount, at)
      })
      return Math.max(0, ...waits)
    },
    add: ({ key, rules, amount = 1 }, at) => {
      forgetOld(at)
      const windows = kept.get(key) ?? rules.map(() => ({ until: 0, count: 0 }))
      kept.set(key, windows)
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

/** Until so many of these windows are over that no more than `room` is counted. */
function waitForRoom(open: Window[], room: number, at: number): number {
  let count = open.reduce((sum, window) => sum + window.count, 0)
  if (count <= room) return 0
  let waitMs = 1
  for (const window of open.sort((one, other) => one.until - other.until)) {
    if (count <= room) break
    count -= window.count
    waitMs = window.until - at
  }
  return waitMs
}
