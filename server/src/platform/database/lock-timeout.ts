import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Tx } from './db.ts'
import { hasSqlState } from './errors.ts'

/** How long a transaction that may hold other locks waits for one more. */
const lockTimeoutMs = 100
/** Between tries it holds nothing, not even a connection. */
const longestPauseMs = 1_000

/**
 * Runs a transaction that locks a row that others wait for, such as a conversation, and needs further rows that another
 * transaction may hold for long, such as a balance. When a lock takes longer than 100 ms, the transaction is rolled
 * back, which releases all its locks, and retried until `giveUpAfterMs`. So a held lock delays only those who need that
 * very row. Conflicts with another transaction (SQLSTATE class 40) are retried too, and the states in `retryStates`.
 */
export async function withLockTimeout<Result>(
  db: Db,
  work: (tx: Tx) => Promise<Result>,
  { giveUpAfterMs = 10_000, retryStates = [] }: { giveUpAfterMs?: number; retryStates?: string[] } = {},
): Promise<Result> {
  const giveUpAt = performance.now() + giveUpAfterMs
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await db.transaction().execute(async (tx) => {
        await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx)
        return work(tx)
      })
    } catch (error) {
      if (!hasSqlState(error, '40', '55P03', ...retryStates) || performance.now() >= giveUpAt) throw error
      await sleep(pauseMs * (0.5 + Math.random()))
    }
  }
}
