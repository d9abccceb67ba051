import type { Pool } from 'pg'
import { type DatabaseAddress, openPool } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'

/**
 * Connections for the one statement that keeps messages. It is planned once a connection, because planning takes
 * longer than keeping thirty messages; and without the choices that suit a table only while it is small. It waits for
 * nobody long: the messages of all accounts wait behind it.
 */
export function openIntakePool(address: DatabaseAddress, log: Log): Pool {
  const settings = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_mergejoin=off'
  return openPool(address, log, { connections: 2, settings, lockTimeoutMs: 1_000 })
}
