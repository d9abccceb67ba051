import type { Pool } from 'pg'
import type { Log } from '../log.ts'
import { type DatabaseAddress, openPool } from './db.ts'
import { type FairShare, openFairShare } from './fair-share.ts'

/** The connections of statements that the requests of all accounts wait for. */
export type Pools = Readonly<{
  /** For statements that keep much at once. They wait for no lock that somebody holds for longer than a moment. */
  hot: Pool
  /** For the same statements when they have to wait for a lock: what may wait there is shared out by owner. */
  patiently: <Result>(owner: string, work: (pool: Pool) => Promise<Result>) => Promise<Result>
  /** For looking up keys. */
  keys: Pool
  end: () => Promise<void>
}>

/** Those who wait for locks; one owner never has all of them. */
const waiters = 6

export function openPools(address: DatabaseAddress, log: Log): Pools {
  const hot = openHotPool(address, log)
  const named = { name: 'patchbay waiting', settings: plannedOnce }
  const waiting = openPool(address, log, { ...named, connections: waiters, lockTimeoutMs: 3_000 })
  const share: FairShare = openFairShare({ slots: waiters, mostWaiting: 500, longestMs: 5_000 })
  // One for each of the questions that are on their way at a time.
  const keys = openPool(address, log, { name: 'patchbay keys', connections: 3, settings: plannedOnce, warm: 3 })
  return {
    hot,
    patiently: (owner, work) => share(owner, () => work(waiting)),
    keys,
    end: async () => {
      await Promise.all([hot, waiting, keys].map((pool) => pool.ending || pool.end()))
    },
  }
}

/** Four for each of those that share commits: messages that come in, that leave, and what became of them; and grants. */
const connections = 16

/**
 * Connections for the statements that keep many messages at once. They are planned once a connection, because planning
 * takes longer than keeping thirty messages; and without the ways that are good for a table while it is small, or for
 * results that are large. The messages of all accounts wait behind them, so they give up on a lock that is held for
 * longer than our own transactions take on a busy machine: what needs it then waits elsewhere.
 */
export function openHotPool(address: DatabaseAddress, log: Log): Pool {
  return openPool(address, log, {
    name: 'patchbay hot',
    connections,
    settings: plannedOnce,
    lockTimeoutMs: 100,
    warm: 6,
  })
}

const ways = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort'].map((way) => `-c enable_${way}=off`)
const plannedOnce = ['-c plan_cache_mode=force_generic_plan', ...ways].join(' ')
