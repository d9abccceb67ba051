/*
 * The connections to PostgreSQL: every store queries a `Db`. `pools.ts` has the pools of the group commits, `tables.ts`
 * the types of all tables, and the other files retries, timeouts and fair shares of connections.
 */

import {
  CamelCasePlugin,
  Kysely,
  type KyselyPlugin,
  PostgresDialect,
  type PostgresPool,
  type Transaction,
} from 'kysely'
import { Client, type ClientConfig, Pool } from 'pg'
import type { Log } from '../log.ts'
import { checkAccounts } from './account-check.ts'
import type { DatabaseAddress } from './address.ts'
import { openSocket } from './open-socket.ts'
import { endWhenSilent, keepWarm } from './pool-connections.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export type { DatabaseAddress } from './address.ts'

/** The size of the pool that requests use. */
export const requestConnections = 10

/** Opens a database for requests. It connects at the first statement, and again after connections were lost. */
export function openDb(address: DatabaseAddress, log: Log, connections = requestConnections): Db {
  return withKysely(openPool(address, log, { connections }))
}

/** The name of connections for background work, as `pg_stat_activity` lists them. */
export const nameOfWork = 'patchbay work'

/** Opens a database for background work: it takes no connection from requests. */
export function openWorkDb(address: DatabaseAddress, log: Log): Db {
  return withKysely(openPool(address, log, { connections: 10, name: nameOfWork }))
}

/** Opens a database without a socket timeout, for statements that may take as long as they need, such as migrations. */
export function openDbForLongStatements(address: DatabaseAddress, log: Log, connections = 1): Db {
  return withKysely(openPool(address, log, { connections, socketTimeoutMs: 0 }))
}

/** `connections`: what Kysely takes them from, where that is not the pool itself. */
export function withKysely(pool: Pool, connections: PostgresPool = pool): Db {
  const dialect = new PostgresDialect({ pool: connections })
  const db = new Kysely<Tables>({ dialect, plugins: [camelCase, accountCheck] })
  pools.set(db, pool)
  return db
}

const pools = new WeakMap<Db, Pool>()

/** The pool whose connections a database uses, to be looked at: a query goes through the database. */
export function poolOf(db: Db): Pool | undefined {
  return pools.get(db)
}

// Nested keys are customers' data and must not be changed.
const camelCase = new CamelCasePlugin({ maintainNestedObjectKeys: true })

/** Runs second, so that it sees the names that PostgreSQL has. */
const accountCheck: KyselyPlugin = {
  transformQuery: ({ node }) => {
    checkAccounts(node)
    return node
  },
  transformResult: async ({ result }) => result,
}

/**
 * The same database without the check that a query names its account. Each use says why the query goes across accounts;
 * there is no other way to build such a query.
 */
export function acrossAccounts(db: Tx): Tx
export function acrossAccounts(db: Db): Db
export function acrossAccounts(db: Db): Db {
  return db.withoutPlugins().withPlugin(camelCase)
}

/**
 * A connection that nobody used for so long is closed. With less, a server with some traffic connected, parsed and planned anew
 * all the time: 19 times in 40 s at 130 messages a second.
 */
const idleMs = 300_000

type PoolOptions = {
  connections: number
  /** The name that `pg_stat_activity` lists. */
  name?: string
  /** Settings of each session, as `-c name=value`. */
  settings?: string
  lockTimeoutMs?: number
  socketTimeoutMs?: number
  /** Keeps one spare connection open, up to this many in all, so that a lost one is replaced before it is needed. */
  warm?: number
}

export function openPool(
  address: DatabaseAddress,
  log: Log,
  { connections, name = 'patchbay', settings = '', lockTimeoutMs = 3_000, socketTimeoutMs, warm }: PoolOptions,
): Pool {
  const pool = new Pool({
    ...address,
    application_name: name,
    // Compiling a statement costs more than ours take. With plan types disabled, as on the batch pool, estimated costs
    // are so high that PostgreSQL before 18 would compile each of them.
    options: `-c jit=off ${settings}`,
    stream: () => openSocket(0),
    max: connections,
    idleTimeoutMillis: idleMs,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: 10_000,
  })
  // A connection that breaks is replaced, idle or in use; without these listeners it would end the process.
  pool.on('error', (error) => log.warn({ reason: error.message }, 'an idle database connection was lost'))
  pool.on('connect', (client) => client.on('error', () => {})) // in use: the statement itself throws the error
  endWhenSilent(pool, socketTimeoutMs)
  if (warm !== undefined) keepWarm(pool, warm)
  return pool
}

/** A connection of its own, for what a pool cannot do: locks of a session, and notifications. */
export function openClient(
  { Client: ClientOfAddress = Client, ...address }: DatabaseAddress,
  config: ClientConfig,
): Client {
  return new ClientOfAddress({ ...address, ...config })
}
