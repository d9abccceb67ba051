import { pino } from 'pino'
import { openLeasedRateLimiter } from '../../src/business/accounts/rate-limit/leased-rate-limit.ts'
import { openLeases } from '../../src/business/accounts/rate-limit/rate-leases.ts'
import type { Allowance } from '../../src/business/accounts/rate-limit/rate-limit.ts'
import { openPool } from '../../src/platform/database/db.ts'
import { openListener } from '../../src/platform/notify/listen.ts'
import type { TestDatabase } from './databases.ts'
import { until } from './until.ts'

/** A machine as far as the rate limit goes, with its own connections to the shared database. */
export type Machine = {
  ask: (keyHash: string, limit: number) => Promise<Allowance>
  /** Whether the answer came at once, without the database. */
  isAnsweredAtOnce: (keyHash: string, limit: number) => boolean
  /** Statements that it has sent for leases. */
  statements: () => number
  close: () => Promise<void>
}

export async function openMachine(started: AsyncDisposableStack, { address }: TestDatabase): Promise<Machine> {
  const log = pino({ level: 'silent' })
  const pool = openPool(address, log, { connections: 2, lockTimeoutMs: 500 })
  started.defer(() => pool.end())
  let statements = 0
  const counted = new Proxy(pool, {
    get: (of, name) => {
      if (name !== 'query') return Reflect.get(of, name)
      statements += 1
      return pool.query.bind(pool)
    },
  })
  const listener = openListener(address, log)
  started.defer(listener.stop)
  const { take, close } = openLeasedRateLimiter(600, openLeases(counted, listener))
  await until(
    () =>
      listener.notify('patchbay_rate', []).then(
        () => true,
        () => false,
      ),
    'it does not listen',
  )
  const asked = (keyHash: string, limit: number) => take({ key: keyHash, rateLimitPerMinute: limit })
  return {
    ask: async (keyHash, limit) => {
      const allowance = await asked(keyHash, limit)
      if (!allowance) throw new Error('there is a limit')
      return allowance
    },
    isAnsweredAtOnce: (keyHash, limit) => !(asked(keyHash, limit) instanceof Promise),
    statements: () => statements,
    close,
  }
}
