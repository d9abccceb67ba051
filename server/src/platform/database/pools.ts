import type { Pool } from 'pg'
import type { Log } from '../log.ts'
import { type DatabaseAddress, openPool } from './db.ts'
import { type FairShare, openFairShare } from './fair-share.ts'

/** The pools for statements that requests of all accounts wait for. */
export type Pools = Readonly<{
  /** The pool for statements that write many rows at once: group commits and claims. Their lock timeout is 100 ms. */
  batch: Pool
  /** Runs the same statements where they must wait for a lock, up to 3 s, on a fair share of connections per owner. */
  withLockWait: <Result>(owner: string, work: (pool: Pool) => Promise<Result>) => Promise<Result>
  /** The pool for looking up API keys. */
  keys: Pool
  /** The pool for looking up sessions, links, and who signs in. */
  sessions: Pool
  /** The pool for looking up what is new in the chats of visitors. Without them it has no connection. */
  chats: Pool
  /** All of them by name, to be looked at. */
  all: Readonly<Record<'batch' | 'waiting' | 'keys' | 'sessions' | 'chats', Pool>>
  end: () => Promise<void>
}>

/** Connections that wait for locks; one owner never has all of them. */
const lockWaitConnections = 6

export function openPools(address: DatabaseAddress, log: Log): Pools {
  const batch = openBatchPool(address, log)
  const named = { name: 'patchbay waiting', settings: plannedOnce }
  const waiting = openPool(address, log, { ...named, connections: lockWaitConnections, lockTimeoutMs: 3_000 })
  const share: FairShare = openFairShare({ slots: lockWaitConnections, mostWaiting: 500, longestWaitMs: 5_000 })
  // One for each look-up that may be in flight at a time.
  const keys = openPool(address, log, { name: 'patchbay keys', connections: 3, settings: plannedOnce, warm: 3 })
  const sessions = openPool(address, log, { name: 'patchbay sessions', connections: 5, settings: plannedOnce, warm: 2 })
  const chats = openPool(address, log, { name: 'patchbay chats', connections: 8, settings: plannedOnce })
  return {
    batch,
    withLockWait: (owner, work) => share(owner, () => work(waiting)),
    keys,
    sessions,
    chats,
    all: { batch, waiting, keys, sessions, chats },
    end: async () => {
      await Promise.all([batch, waiting, keys, sessions, chats].map((pool) => pool.ending || pool.end()))
    },
  }
}

/** Four for each group commit: of incoming messages, outgoing messages, outcomes of deliveries, and grants. */
const batchConnections = 16

/**
 * Connections for the statements that write many messages at once. Statements are planned once per connection, because
 * planning takes longer than writing thirty messages; and without the plan types that suit only small tables or large
 * results. The messages of all accounts wait for these statements, so the lock timeout is just above what our own
 * transactions take on a busy machine: rows whose lock is held for longer wait elsewhere.
 */
export function openBatchPool(address: DatabaseAddress, log: Log): Pool {
  return openPool(address, log, {
    name: 'patchbay batch',
    connections: batchConnections,
    settings: plannedOnce,
    lockTimeoutMs: 100,
    warm: 6,
  })
}

const planTypes = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort'].map((type) => `-c enable_${type}=off`)
/** Settings of connections whose statements are planned once, also while the tables are believed to be small. */
export const plannedOnce = ['-c plan_cache_mode=force_generic_plan', ...planTypes].join(' ')
