import type { Pool } from 'pg'
import { type DatabaseAddress, openPool } from './db.ts'
import type { Log } from './log.ts'

/** Two for each of those that share commits: messages that come in, that leave, and what became of them; and grants. */
const connections = 8

/**
 * Connections for the statements that keep many messages at once. They are planned once a connection, because planning
 * takes longer than keeping thirty messages; and without the ways that are good for a table while it is small, or for
 * results that are large. They wait for nobody long: the messages of all accounts wait behind them.
 */
export function openHotPool(address: DatabaseAddress, log: Log): Pool {
  const off = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort'].map((way) => `-c enable_${way}=off`)
  const settings = ['-c plan_cache_mode=force_generic_plan', ...off].join(' ')
  return openPool(address, log, { connections, settings, lockTimeoutMs: 1_000 })
}
