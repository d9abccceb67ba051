import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Client } from 'pg'
import type { TestApp } from './harness.ts'

export async function countRows({ db }: TestApp): Promise<{ contacts: number; members: number }> {
  const contacts = await db.selectFrom('contacts').select('id').execute()
  const members = await db.selectFrom('listMembers').select('contactId').execute()
  return { contacts: contacts.length, members: members.length }
}

/** Resolves once a statement in this database waits for a lock. */
export async function untilLockWait({ db }: TestApp): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(db)
    if (rows.length > 0) return
  }
}

type HeldLock = {
  /** How many statements wait for a lock of any kind, on connections of this name or on any. */
  waiting: (connections?: string) => Promise<number>
  untilWaiting: (statements: number, connections?: string) => Promise<void>
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
    untilWaiting: async (statements, connections) => {
      while ((await waiting(connections)) < statements) await sleep(5)
    },
    release: async () => void (await holder.query('commit')),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([holder.end(), watcher.end()])
    },
  }
}
