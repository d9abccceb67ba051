import { sql } from 'kysely'
import type { TestApp } from './harness.ts'

export async function countRows({ db }: TestApp): Promise<{ contacts: number; members: number }> {
  const contacts = await db.selectFrom('contacts').select('id').execute()
  const members = await db.selectFrom('listMembers').select('contactId').execute()
  return { contacts: contacts.length, members: members.length }
}

/** Returns once a statement in this database waits for another's lock. */
export async function untilOneWaits({ db }: TestApp): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(db)
    if (rows.length > 0) return
  }
}
