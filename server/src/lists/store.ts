import { sql } from 'kysely'
import type { Db } from '../platform/database/db.ts'
import { type AccountId, type ContactId, type ListId, newId } from '../platform/ids.ts'

export async function insertList(db: Db, accountId: AccountId, name: string): Promise<ListId> {
  const id = newId('lst')
  await db.insertInto('lists').values({ accountId, id, name }).execute()
  return id
}

export type ListSummary = { listId: ListId; name: string; contacts: number; optedOut: number; createdAt: Date }

export async function summarizeLists(db: Db, accountId: AccountId): Promise<ListSummary[]> {
  const rows = await db
    .selectFrom('lists as l')
    .leftJoin('listMembers as m', (join) =>
      join.onRef('m.accountId', '=', 'l.accountId').onRef('m.listId', '=', 'l.id'),
    )
    .leftJoin('contacts as p', (join) =>
      join.onRef('p.accountId', '=', 'm.accountId').onRef('p.id', '=', 'm.contactId'),
    )
    .select(['l.id as listId', 'l.name', 'l.createdAt'])
    .select(({ fn }) => [fn.count('m.contactId').as('contacts'), fn.count('p.optedOutAt').as('optedOut')])
    .where('l.accountId', '=', accountId)
    .groupBy(['l.accountId', 'l.id'])
    .orderBy('l.createdAt')
    .orderBy('l.id')
    .execute()
  return rows.map((row) => ({ ...row, contacts: Number(row.contacts), optedOut: Number(row.optedOut) }))
}

export type Membership = { accountId: AccountId; listId: ListId; contactId: ContactId }

/**
 * Adds a contact to a list; a second time changes nothing. In one statement it checks which of the two this account
 * has, and adds only if it has both.
 */
export async function insertMember(
  db: Db,
  { accountId, listId, contactId }: Membership,
): Promise<{ hasList: boolean; hasContact: boolean }> {
  const { rows } = await sql<{ hasList: boolean; hasContact: boolean }>`
    with found as (
      select
        exists (select from lists where account_id = ${accountId} and id = ${listId}) as has_list,
        exists (select from contacts where account_id = ${accountId} and id = ${contactId}) as has_contact
    ), added as (
      insert into list_members (account_id, list_id, contact_id)
      select ${accountId}, ${listId}, ${contactId} from found where has_list and has_contact
      on conflict do nothing
    )
    select has_list, has_contact from found
  `.execute(db)
  return rows[0] ?? { hasList: false, hasContact: false }
}
