import { openLeasedRateLimiter } from '../src/business/accounts/rate-limit/leased-rate-limit.ts'
import { openLeases } from '../src/business/accounts/rate-limit/rate-leases.ts'
import type { RateLimiter } from '../src/business/accounts/rate-limit/rate-limit.ts'
import { type DatabaseAddress, openPool } from '../src/platform/database/db.ts'
import type { Log } from '../src/platform/log.ts'
import type { Listener } from '../src/platform/notify/listen.ts'

type Options = { perMinute: number; address: DatabaseAddress; listener: Listener; log: Log }

/** The rate limit of this process, shared with all others on the same database, on connections of its own. */
export function openSharedRateLimit(
  started: AsyncDisposableStack,
  { perMinute, address, listener, log }: Options,
): RateLimiter {
  // What is written is worth a minute at most: it need not be on disk.
  const settings = '-c synchronous_commit=off'
  const pool = openPool(address, log, { name: 'patchbay rate', connections: 2, settings })
  started.defer(() => pool.end())
  const { take, close } = openLeasedRateLimiter(perMinute, openLeases(pool, listener))
  started.defer(close)
  return take
}
