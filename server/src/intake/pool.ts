import type { Pool } from 'pg'
import { type DatabaseAddress, openPool } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'

/**
 * Connections for the one statement that keeps messages. Its plan is made once and must stay right while the tables
 * grow from nothing to millions, so the planner is told what we know: every look-up is by index.
 */
export function openIntakePool(address: DatabaseAddress, log: Log): Pool {
  const choices = [
    'plan_cache_mode=force_generic_plan',
    'enable_seqscan=off',
    'enable_hashjoin=off',
    'enable_mergejoin=off',
  ]
  return openPool(address, log, { connections: 2, settings: choices.map((choice) => `-c ${choice}`).join(' ') })
}
