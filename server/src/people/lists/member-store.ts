import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ContactId, ListId } from '../../platform/ids.ts'

type ListRef = { accountId: AccountId; listId: ListId }

/**
 * Puts contacts on a list, those of them that this account has; undefined when there is no such list. List and contacts
 * are locked against deletion, the contacts in the order of their ids.
 */
export async function insertMembers(
  db: Db,
  { accountId, listId }: ListRef,
  contactIds: ContactId[],
): Promise<{ known: number; added: number } | undefined> {
  const { rows } = await sql<{ hasList: boolean; known: number; added: number }>`
    with list as (
      select id from lists where account_id = ${accountId} and id = ${listId} for key share
    ), known as materialized (
      select id from contacts
      where account_id = ${accountId} and id = any (${contactIds}::text[]) and exists (select from list)
      order by id for key share
    ), added as (
      insert into list_members (account_id, list_id, contact_id)
      select ${accountId}, ${listId}, id from known on conflict do nothing
      returning contact_id
    )
    select exists (select from list) as has_list, (select count(*)::integer from known) as known,
      (select count(*)::integer from added) as added
  `.execute(db)
  const [row] = rows
  return row?.hasList ? { known: row.known, added: row.added } : undefined
}

/** Takes contacts off a list; returns how many were on it. */
export async function deleteMembers(db: Db, { accountId, listId }: ListRef, contactIds: ContactId[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from list_members
    where account_id = ${accountId} and list_id = ${listId} and contact_id = any (${contactIds}::text[])
  `.execute(db)
  return Number(numAffectedRows)
}
