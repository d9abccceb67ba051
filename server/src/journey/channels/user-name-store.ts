import { sql } from 'kysely'
import { userName } from '../../business/accounts/user-name.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, UserId } from '../../platform/ids.ts'

/** The names of users, removed ones too. */
export async function findUserNames(db: Db, accountId: AccountId, ids: UserId[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .select(['id', sql.raw<string | null>(userName('users')).as('name')])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name ?? '']))
}
