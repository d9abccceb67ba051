import { Client } from 'pg'
import type { DatabaseAddress } from './db.ts'

/** Any number, as long as no other software in the same database uses it. */
const serverLock = 7_301_002

export type ServerLock = { lost: Promise<void>; release: () => Promise<void> }

/**
 * Takes the lock that every server holds for as long as it lives; undefined when it cannot be had.
 * On the embedded database one server holds it alone; on a shared one, many hold it together. It belongs
 * to a session, so a killed server lets go of it by dying.
 */
export async function tryServerLock(
  address: DatabaseAddress,
  how: 'alone' | 'shared',
): Promise<ServerLock | undefined> {
  const client = new Client({ ...address, application_name: 'patchbay lock', connectionTimeoutMillis: 5_000 })
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => resolve())
    client.on('end', () => resolve())
  })
  await client.connect()
  const attempt = how === 'alone' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
  const { rows } = await client.query(`select ${attempt}($1) as held`, [serverLock])
  if (rows[0].held) return { lost, release: () => client.end() }
  await client.end()
  return undefined
}
