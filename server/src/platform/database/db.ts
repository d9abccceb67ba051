import { Socket } from 'node:net'
import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import type { Log } from '../log.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

/** Where a database is; the fields are those of a `pg` client. */
export type DatabaseAddress = Pick<PoolConfig, 'connectionString' | 'host' | 'user' | 'database'>

/** Of the database that requests use. */
export const requestConnections = 10

/** Opens a database. It connects when first asked, and again after the database was gone. */
export function openDb(address: DatabaseAddress, log: Log, connections = requestConnections): Db {
  return speakTo(openPool(address, log, { connections }))
}

/** The same for work that nobody waits for with an open request: it takes no connection from those who do. */
export function openWorkDb(address: DatabaseAddress, log: Log): Db {
  return speakTo(openPool(address, log, { connections: 10, name: 'patchbay work' }))
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

type PoolOptions = {
  connections: number
  /** As the database lists it. */
  name?: string
  /** The session's own, as `-c name=value`. */
  settings?: string
  lockTimeoutMs?: number
  silentMs?: number
  /** Up to so many, one more is open than is in use, so that a lost one has been replaced before it is missed. */
  warm?: number
}

export function openPool(
  address: DatabaseAddress,
  log: Log,
  { connections, name = 'patchbay', settings = '', lockTimeoutMs = 3_000, silentMs = mostSilentMs, warm }: PoolOptions,
): Pool {
  const pool = new Pool({
    ...address,
    application_name: name,
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
  if (warm !== undefined) keepWarm(pool, warm)
  return pool
}

/** A pool that nobody has used for so long lets go of all its connections. */
const coldAfterMs = 60_000

/**
 * Keeps one spare connection open, up to so many in all. Making one takes several times as long as a statement on it,
 * which shows when the database is far away.
 */
function keepWarm(pool: Pool, warm: number): void {
  let usedAt = Number.NEGATIVE_INFINITY
  let isOpening = false

  async function openSpare(): Promise<void> {
    const isWanted = !pool.ending && performance.now() - usedAt < coldAfterMs
    if (!isWanted || isOpening || pool.idleCount > 0 || pool.totalCount >= warm) return
    isOpening = true
    const usedBefore = usedAt
    const client = await pool.connect().catch(() => undefined) // who needs one tries again, and tells what is wrong
    client?.release()
    usedAt = usedBefore
    isOpening = false
  }

  pool.on('acquire', () => {
    usedAt = performance.now()
    void openSpare()
  })
  pool.on('remove', () => void openSpare())
}

/** A socket to the database that is given up when nothing has come from there for so long; 0: never. */
export function openSocket(silentMs = mostSilentMs): Socket {
  const socket = new Socket()
  return socket.setTimeout(silentMs, () => socket.destroy(new Error('The database has fallen silent.')))
}
