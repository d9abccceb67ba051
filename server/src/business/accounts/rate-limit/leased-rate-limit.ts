import { LeasedWindow } from './leased-window.ts'
import type { Leases } from './rate-leases.ts'
import { type Allowance, openRateLimiter, type RateLimiter } from './rate-limit.ts'

/** While the database does not answer, this process counts by itself for so long before it asks again. */
const aloneForMs = 1_000
const sweepEveryMs = 60_000

/**
 * The rate limit of a process that shares its database with others. It leases parts of a key's limit and counts requests
 * against them in memory. All processes together never allow more than the limit: a part is deducted before it is used. They
 * allow all of it: a process that finds nothing left recalls what others have leased and not used, before it refuses.
 *
 * While the database does not answer, the process allows the limit by itself: a message that is refused because of our own
 * outage is worse than one too many.
 */
export function openLeasedRateLimiter(
  perMinute: number,
  leases: Leases,
): { take: RateLimiter; close: () => Promise<void> } {
  const windows = new Map<string, LeasedWindow>()
  const takeAlone = openRateLimiter(perMinute)
  let aloneUntil = 0
  let sweepAt = 0

  function countAlone(keyHash: string, limit: number): Allowance {
    aloneUntil = Math.max(aloneUntil, performance.now() + aloneForMs)
    return takeAlone({ key: keyHash, rateLimitPerMinute: limit }) as Allowance // there is a limit
  }

  function windowOf(keyHash: string, now: number): LeasedWindow {
    const known = windows.get(keyHash)
    if (known) return known
    if (now >= sweepAt) {
      for (const [key, window] of windows) if (window.isOver(now)) windows.delete(key)
      sweepAt = now + sweepEveryMs
    }
    const window = new LeasedWindow(keyHash, { leases, countAlone })
    windows.set(keyHash, window)
    return window
  }

  leases.onRecall((keyHash) => windows.get(keyHash)?.recall())

  return {
    take: ({ key: keyHash, rateLimitPerMinute }) => {
      const limit = rateLimitPerMinute ?? perMinute
      if (limit === 0) return undefined
      const now = performance.now()
      const window = windowOf(keyHash, now)
      const known = window.takeLeased(limit, now)
      if (known) return known
      if (aloneUntil > now) return takeAlone({ key: keyHash, rateLimitPerMinute: limit })
      return window.takeLater()
    },
    close: async () => {
      for (const window of windows.values()) window.giveBack()
      await leases.flush()
    },
  }
}
