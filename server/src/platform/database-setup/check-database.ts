import { sql } from 'kysely'
import type { DatabaseAddress, Db } from '../database/db.ts'
import { OperatorError } from '../operator-error.ts'
import { askOnce } from './server-lock.ts'

/**
 * Refuses a database that is too old, or that acknowledges a commit before it is on disk. A shared database may be on
 * storage that makes full page writes unnecessary; the embedded one is not.
 */
export async function checkDatabase(db: Db, kind: 'embedded' | 'shared'): Promise<void> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
    where name in ('server_version_num', 'server_encoding', 'fsync', 'full_page_writes', 'synchronous_commit',
      'synchronous_standby_names')
  `.execute(db)
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]))
  if (Number(settings.get('server_version_num')) < 150_000) {
    throw new OperatorError('The database in DATABASE_URL is older than PostgreSQL 15; use 15 or later.')
  }
  if (settings.get('server_encoding') !== 'UTF8') {
    throw new OperatorError('The database in DATABASE_URL does not store UTF-8; create one with: encoding UTF8.')
  }
  const needed = ['fsync', 'synchronous_commit', ...(kind === 'embedded' ? ['full_page_writes'] : [])]
  for (const name of needed) {
    if (settings.get(name) !== 'off') continue
    throw new OperatorError(`The database has ${name} off, so acknowledged messages could be lost; switch it on.`)
  }
  if (settings.get('synchronous_commit') === 'local' && settings.get('synchronous_standby_names')) {
    throw new OperatorError(
      'The database has synchronous_commit = local, so a failover to its synchronous standby could lose acknowledged ' +
        'messages; set it to on.',
    )
  }
}

/** What a process opens under load; all its pools together may have more than twice as many. */
const connectionsOfProcess = 20

/** Refuses a shared database that plainly allows too few connections for PROCESSES of this machine alone. */
export async function checkConnections(db: Db, processes: number): Promise<void> {
  if (processes === 1) return
  const { rows } = await sql<{ free: number }>`
    select current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as free
  `.execute(db)
  const free = rows[0]?.free ?? 0
  const needed = processes * connectionsOfProcess
  if (free >= needed) return
  throw new OperatorError(
    `The database allows ${free} connections, and PROCESSES=${processes} needs at least ${needed}; raise max_connections there, or lower PROCESSES.`,
  )
}

/** Whether a running database allows so many connections. */
export async function allows(address: DatabaseAddress, connections: number): Promise<boolean> {
  const setting = `select current_setting('max_connections')::integer as allowed`
  const [row] = await askOnce<{ allowed: number }>(address, setting)
  return row !== undefined && row.allowed >= connections
}
