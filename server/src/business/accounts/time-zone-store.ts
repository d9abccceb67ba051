import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

/** Whether PostgreSQL knows a zone, exactly as it spells it. */
export async function isKnownZone(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_timezone_names where name = ${name}`.execute(db)
  return rows.length > 0
}

/** Returns the zone before. */
export async function setTimeZone(tx: Tx, accountId: AccountId, timeZone: string): Promise<string | undefined> {
  const before = await tx
    .selectFrom('accounts')
    .select('timeZone')
    .where('id', '=', accountId)
    .forUpdate()
    .executeTakeFirst()
  await tx.updateTable('accounts').set({ timeZone }).where('id', '=', accountId).execute()
  return before?.timeZone
}
