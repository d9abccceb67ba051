import { Socket } from 'node:net'
import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import type { Log } from './log.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

/** Where a database is; the fields are those of a `pg` client. */
export type DatabaseAddress = Pick<PoolConfig, 'connectionString' | 'host' | 'user' | 'database'>

/** Opens a database. It connects when first asked, and again after the database was gone. */
export function openDb(address: DatabaseAddress, log: Log, connections = 10): Db {
  return speakTo(openPool(address, log, { connections }))
}

/** The same for those who give their statements all the time they need: it waits for an answer however long it takes. */
export function openPatientDb(address: DatabaseAddress, log: Log, connections = 1): Db {
  return speakTo(openPool(address, log, { connections, silentMs: 0 }))
}

function speakTo(pool: Pool): Db {
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    // Nested keys are customers' data and stay as they are.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
}

/**
 * A database that has gone without hanging up cannot end a statement that takes too long, and the network notices after a
 * quarter of an hour. One that is there says something well before this: statements and idle transactions have 10 s, and
 * the pool itself closes what it has not used for as long.
 */
const mostSilentMs = 15_000

/** `settings` are the session's own, as `-c name=value`. */
export function openPool(
  address: DatabaseAddress,
  log: Log,
  {
    connections,
    settings = '',
    lockTimeoutMs = 3_000,
    silentMs = mostSilentMs,
  }: { connections: number; settings?: string; lockTimeoutMs?: number; silentMs?: number },
): Pool {
  const pool = new Pool({
    ...address,
    application_name: 'patchbay',
    // Compiling a statement costs more than ours take; where plans are priced out of use, as on the hot pool, PostgreSQL
    // before 18 would compile each of them.
    options: `-c jit=off ${settings}`,
    stream: () => openSocket(silentMs),
    max: connections,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: 10_000,
  })
  // A connection that breaks is replaced, idle or at work; without these listeners it would end the process.
  pool.on('error', (error) => log.warn({ reason: error.message }, 'an idle database connection was lost'))
  pool.on('connect', (client) => client.on('error', () => {})) // at work: the statement's own error is thrown
  return pool
}

function openSocket(silentMs: number): Socket {
  const socket = new Socket()
  return socket.setTimeout(silentMs, () => socket.destroy(new Error('The database has fallen silent.')))
}
