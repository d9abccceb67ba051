import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'
import type { SortedPlace } from '../../platform/sorted-place.ts'

/** The words of the index `contacts_by_name`, which PostgreSQL takes only for the same. */
const nameKey = sql`coalesce(nullif(left(btrim(split_part(search_text, chr(10), 1)), 40), ''), chr(1114111))`

/** Contacts of an account by name, those without one last; of the same name, oldest first. */
export async function readPlacesByName(
  db: Db,
  accountId: AccountId,
  { after, limit }: { after: SortedPlace<ContactId> | undefined; limit: number },
): Promise<SortedPlace<ContactId>[]> {
  const { rows } = await sql<SortedPlace<ContactId>>`
    select ${nameKey} as key, id from contacts
    where account_id = ${accountId} ${after ? sql`and (${nameKey}, id) > (${after.key}, ${after.id})` : sql``}
    order by ${nameKey}, id limit ${limit}
  `.execute(db)
  return rows
}
