import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import type { Client, QueryResultRow } from 'pg'
import { type DatabaseAddress, openClient } from '../database/db.ts'
import { openSocket } from '../database/open-socket.ts'
import { knownVersion } from './read-migrations.ts'

/** Keys of advisory locks: any numbers that no other software in the same database uses. */
export const migrationLock = 7_301_001
export const serverLock = 7_301_002
export const versionLock = 7_301_003
export const numberLock = 7_301_004

export type ServerLock = { lost: Promise<void>; release: () => Promise<void> }

/**
 * Takes the advisory lock that every server holds while it runs; undefined when another session has it. On the embedded
 * database one server holds it exclusively; on a shared database, many share it. Each also holds a lock whose key is
 * the version of its schema, so that a migration finds the servers that it would break, and one with its own number, by
 * which `running-servers.ts` knows that it lives. All belong to the session, so the death of a server releases them.
 */
export async function tryServerLock(
  address: DatabaseAddress,
  mode: 'exclusive' | 'shared',
  number?: number,
): Promise<ServerLock | undefined> {
  const version = await knownVersion()
  const socket = openSocket(0) // nothing is sent on it while the lock is held
  const named = { application_name: ownName(), connectionTimeoutMillis: 5_000, stream: () => socket }
  const client = openClient(address, named)
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => resolve())
    client.on('end', () => resolve())
  })
  await client.connect()
  try {
    // The version lock first: whoever sees the server lock sees both.
    await client.query('select pg_advisory_lock_shared($1, $2)', [versionLock, version])
    const attempt = mode === 'exclusive' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
    const { rows } = await client.query(`select ${attempt}($1) as held`, [serverLock])
    if (rows[0].held) {
      if (number !== undefined) await client.query('select pg_advisory_lock_shared($1, $2)', [numberLock, number])
      return { lost, release: () => disconnect(client, socket) }
    }
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  await client.end()
  return undefined
}

/** Whether a server or a command holds the migration lock. */
export async function isMigrating(address: DatabaseAddress): Promise<boolean> {
  const query = `
    select from pg_locks where locktype = 'advisory' and classid = 0 and objid = ${migrationLock} and granted
      and database = (select oid from pg_database where datname = current_database())`
  return (await askOnce(address, query)).length > 0
}

/** Whether any process but this one is connected, and whether a server holds its lock. */
export async function findOthers(address: DatabaseAddress): Promise<{ areThere: boolean; isServer: boolean }> {
  const query = `
    select exists (
      select from pg_stat_activity where backend_type = 'client backend'
        and application_name <> current_setting('application_name')
    ) as "areThere", exists (
      select from pg_locks where locktype = 'advisory' and classid = ${numberLock} and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())
    ) as "isServer"`
  const [others] = await askOnce<{ areThere: boolean; isServer: boolean }>(address, query)
  return others ?? { areThere: false, isServer: false }
}

/** Runs a query on a connection of its own, which is named as that of this process. */
export async function askOnce<Row extends QueryResultRow>(address: DatabaseAddress, query: string): Promise<Row[]> {
  const client = openClient(address, { application_name: ownName(), connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // the query fails with it
  try {
    await client.connect()
    return (await client.query<Row>(query)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

const disconnectsWithinMs = 2_000

/** A database that is gone without closing the connection does not answer; a server that stops must not wait for it. */
async function disconnect(client: Client, socket: Socket): Promise<void> {
  const giveUp = setTimeout(() => socket.destroy(), disconnectsWithinMs)
  await client.end().finally(() => clearTimeout(giveUp))
}

/** The name by which an operator finds this process; PostgreSQL keeps 63 bytes of it. */
export function ownName(): string {
  const suffix = ` (process ${process.pid})`
  return `patchbay on ${hostname().slice(0, 63 - 12 - suffix.length)}${suffix}`
}
