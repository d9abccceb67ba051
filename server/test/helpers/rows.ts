import { sql } from 'kysely'
import { Client } from 'pg'
import type { Db } from '../../src/platform/database/db.ts'
import type { TestApp } from './harness.ts'
import { patienceMs, until } from './until.ts'

export async function countRows({ db }: TestApp): Promise<{ contacts: number; members: number }> {
  const contacts = await db.selectFrom('contacts').select('id').execute()
  const members = await db.selectFrom('listMembers').select('contactId').execute()
  return { contacts: contacts.length, members: members.length }
}

/** Resolves once so many statements in this database wait for a lock; fails after a while. */
export async function untilLockWait({ db }: { db: Db }, { statements = 1, withinMs = patienceMs } = {}): Promise<void> {
  const areWaiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(db)
    return rows.length >= statements
  }
  await until(areWaiting, `fewer than ${statements} statements wait for a lock`, withinMs)
}

type HeldLock = {
  /** How many statements wait for a lock of any kind, on connections of this name or on any. */
  waiting: (connections?: string) => Promise<number>
  /** Fails after a while. */
  untilWaiting: (statements: number, connections?: string, withinMs?: number) => Promise<void>
  release: () => Promise<void>
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Locks one row, by its id, on a connection of its own. */
export async function holdLock({ database }: TestApp, table: string, id: string, column = 'id'): Promise<HeldLock> {
  const [holder, watcher] = [new Client(database.address), new Client(database.address)]
  await Promise.all([holder.connect(), watcher.connect()])
  await holder.query('begin')
  await holder.query(`select from ${table} where ${column} = $1 for update`, [id])
  const waiting = async (connections = '%') => {
    const { rows } = await watcher.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and application_name like $1`,
      [connections],
    )
    return rows.length
  }
  return {
    waiting,
    untilWaiting: (statements, connections, withinMs) =>
      until(
        async () => (await waiting(connections)) >= statements,
        `fewer than ${statements} statements wait for a lock`,
        withinMs,
      ),
    release: async () => void (await holder.query('commit')),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([holder.end(), watcher.end()])
    },
  }
}
