const windowMs = 60_000

export type Allowance = { allowed: boolean; limit: number; remaining: number; resetsInSeconds: number }

/** What is limited, by any unique name, and its own limit if it has one. */
type LimitedKey = { key: string; rateLimitPerMinute: number | null }

/** Counts a request if it is allowed. Undefined: no limit. */
export type RateLimiter = (limited: LimitedKey) => Allowance | undefined | Promise<Allowance | undefined>
export type OwnRateLimiter = (limited: LimitedKey) => Allowance | undefined

/**
 * Allows exactly the limit in a window of one minute that starts with the key's first request; refused requests do not
 * count. Counted in this process's memory, so a restart resets it.
 */
export function openRateLimiter(perMinute: number): OwnRateLimiter {
  const windows = new Map<string, { endsAt: number; count: number }>()
  let sweepAt = 0

  function windowOf(key: string, now: number): { endsAt: number; count: number } {
    const current = windows.get(key)
    if (current && current.endsAt > now) return current
    if (now >= sweepAt) {
      for (const [known, { endsAt }] of windows) if (endsAt <= now) windows.delete(known)
      sweepAt = now + windowMs
    }
    const fresh = { endsAt: now + windowMs, count: 0 }
    windows.set(key, fresh)
    return fresh
  }

  return ({ key, rateLimitPerMinute }) => {
    const limit = rateLimitPerMinute ?? perMinute
    if (limit === 0) return undefined
    const now = performance.now()
    const window = windowOf(key, now)
    const allowed = window.count < limit
    if (allowed) window.count += 1
    // Rounding up a fraction must not make it 61 seconds.
    const resetsInSeconds = Math.min(windowMs / 1000, Math.ceil((window.endsAt - now) / 1000))
    return { allowed, limit, remaining: Math.max(0, limit - window.count), resetsInSeconds }
  }
}
