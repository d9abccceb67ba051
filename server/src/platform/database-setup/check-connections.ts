import { sql } from 'kysely'
import type { DatabaseAddress, Db } from '../database/db.ts'
import { OperatorError } from '../operator-error.ts'
import { askOnce } from './server-lock.ts'

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
