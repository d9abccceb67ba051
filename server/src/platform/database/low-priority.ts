import { constants, setPriority } from 'node:os'
import { sql } from 'kysely'
import type { Db } from './db.ts'

/**
 * Lets everything else on this machine go before what this connection to the embedded database does, until it is closed. It
 * must be one that nobody else uses, and of our own database: the process of another one may be on another machine.
 */
export async function yieldToOthers(connection: Db): Promise<void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
  if (rows[0]) goLast(rows[0].pid)
}

/** Lets everything else on this machine go before a process of it; 0: this one, with the threads that it starts from now on. */
export function goLast(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It has ended already, or the system does not allow it.
  }
}
