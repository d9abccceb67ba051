import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import { Client } from 'pg'
import { type DatabaseAddress, openSocket } from '../database/db.ts'
import { knownVersion } from './read-migrations.ts'

/** Any numbers, as long as no other software in the same database uses them. */
export const migrationLock = 7_301_001
export const serverLock = 7_301_002
export const versionLock = 7_301_003

export type ServerLock = { lost: Promise<void>; release: () => Promise<void> }

/**
 * Takes the lock that every server holds for as long as it lives; undefined when it cannot be had. On the embedded
 * database one server holds it alone; on a shared one, many hold it together, and each another one that is named by the
 * version of its schema, so that a migration knows whom it would disturb. They belong to a session, so a killed server
 * lets go of them by dying.
 */
export async function tryServerLock(
  address: DatabaseAddress,
  how: 'alone' | 'shared',
): Promise<ServerLock | undefined> {
  const version = await knownVersion()
  const socket = openSocket(0) // nothing is said on it for as long as the lock is held
  const named = { application_name: ownName(), connectionTimeoutMillis: 5_000, stream: () => socket }
  const client = new Client({ ...address, ...named })
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => resolve())
    client.on('end', () => resolve())
  })
  await client.connect()
  try {
    // First the one with the version: whoever sees the other sees both.
    await client.query('select pg_advisory_lock_shared($1, $2)', [versionLock, version])
    const attempt = how === 'alone' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
    const { rows } = await client.query(`select ${attempt}($1) as held`, [serverLock])
    if (rows[0].held) return { lost, release: () => hangUp(client, socket) }
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  await client.end()
  return undefined
}

/** Whether a server or a command is changing the schema at the moment. */
export async function isMigrating(address: DatabaseAddress): Promise<boolean> {
  const client = new Client({ ...address, application_name: ownName(), connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // told by the question
  try {
    await client.connect()
    const { rows } = await client.query(
      `select from pg_locks where locktype = 'advisory' and classid = 0 and objid = $1 and granted
        and database = (select oid from pg_database where datname = current_database())`,
      [migrationLock],
    )
    return rows.length > 0
  } finally {
    await client.end().catch(() => {})
  }
}

const hangsUpWithinMs = 2_000

/** A database that has gone without hanging up does not answer to that either; who stops must not wait for it. */
async function hangUp(client: Client, socket: Socket): Promise<void> {
  const giveUp = setTimeout(() => socket.destroy(), hangsUpWithinMs)
  await client.end().finally(() => clearTimeout(giveUp))
}

/** How an operator finds this process; PostgreSQL keeps 63 bytes of it. */
function ownName(): string {
  const suffix = ` (process ${process.pid})`
  return `patchbay on ${hostname().slice(0, 63 - 12 - suffix.length)}${suffix}`
}
