import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Tx } from './db.ts'
import { hasSqlState } from './sql-state.ts'

/** How long a lock is waited for while others are held. */
const lockTimeoutMs = 100
/** Between tries nothing is held, not even a connection. */
const longestPauseMs = 1_000

/**
 * A transaction that holds a row that others wait for, such as a conversation, and needs further rows that somebody may
 * hold for long, such as a balance. It waits for each of them for a moment only; then it lets go of all, and is tried
 * again from its beginning, until `mostMs` have passed. So a lock that is held costs only those who need that very row.
 * A conflict with another transaction (SQLSTATE class 40) is tried again too, and what `again` names besides.
 */
export async function withBriefLocks<Result>(
  db: Db,
  work: (tx: Tx) => Promise<Result>,
  { mostMs = 10_000, again = [] }: { mostMs?: number; again?: string[] } = {},
): Promise<Result> {
  const giveUpAt = performance.now() + mostMs
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await db.transaction().execute(async (tx) => {
        await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx)
        return work(tx)
      })
    } catch (error) {
      if (!hasSqlState(error, '40', '55P03', ...again) || performance.now() >= giveUpAt) throw error
      await sleep(pauseMs * (0.5 + Math.random()))
    }
  }
}
