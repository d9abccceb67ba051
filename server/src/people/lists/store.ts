import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import { type AccountId, type ContactId, type ListId, newId } from '../../platform/ids.ts'

export async function insertList(db: Db, accountId: AccountId, name: string): Promise<ListId> {
  const id = newId('lst')
  await db.insertInto('lists').values({ accountId, id, name }).execute()
  return id
}

export type ListSummary = { listId: ListId; name: string; contacts: number; optedOut: number; createdAt: Date }

/**
 * Members are counted by triggers when they are added or removed. Those who opted out are few of many: they have an index,
 * and `offset 0` makes PostgreSQL look up the lists of each.
 */
export async function summarizeLists(db: Db, accountId: AccountId, listId?: ListId): Promise<ListSummary[]> {
  const which = listId === undefined ? sql`` : sql`and l.id = ${listId}`
  const { rows } = await sql<ListSummary>`
    with opted_out as (
      select k.list_id, count(*)::integer as n
      from contacts p cross join lateral (
        select m.list_id from list_members m where m.account_id = ${accountId} and m.contact_id = p.id offset 0
      ) as k
      where p.account_id = ${accountId} and p.opted_out_at is not null
      group by k.list_id
    )
    select l.id as list_id, l.name, l.created_at, coalesce(o.n, 0) as opted_out, (
      select coalesce(sum(k.contacts), 0)::integer from list_counts k
      where k.account_id = ${accountId} and k.list_id = l.id
    ) as contacts
    from lists l left join opted_out o on o.list_id = l.id
    where l.account_id = ${accountId} ${which}
    order by l.created_at, l.id
  `.execute(db)
  return rows
}

type ListRef = { accountId: AccountId; listId: ListId }

/** Renames a list; false when there is no such list. */
export async function updateListName(db: Db, { accountId, listId }: ListRef, name: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('lists')
    .set({ name })
    .where('accountId', '=', accountId)
    .where('id', '=', listId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * What a broadcast is about to do that still has to copy the list: it is being prepared, or waits for its time. The list is locked, so that
 * none starts until the transaction ends.
 */
export async function findWhoCopies(
  tx: Tx,
  { accountId, listId }: ListRef,
): Promise<'scheduled' | 'preparing' | undefined> {
  await sql`select from lists where account_id = ${accountId} and id = ${listId} for update`.execute(tx)
  const { rows } = await sql<{ isScheduled: boolean }>`
    select state = 'scheduled' as is_scheduled from broadcasts
    where account_id = ${accountId} and list_id = ${listId} and prepared_at is null and ended_at is null limit 1
  `.execute(tx)
  const [found] = rows
  return found && (found.isScheduled ? 'scheduled' : 'preparing')
}

/** Deletes a list; false when there is no such list. */
export async function deleteListRow(tx: Tx, { accountId, listId }: ListRef): Promise<boolean> {
  const { rows } = await sql`
    with counts as (
      delete from list_counts where account_id = ${accountId} and list_id = ${listId}
    )
    delete from lists where account_id = ${accountId} and id = ${listId} returning id
  `.execute(tx)
  return rows.length > 0
}

export async function hasList(db: Db, { accountId, listId }: ListRef): Promise<boolean> {
  const list = await db
    .selectFrom('lists')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', listId)
    .executeTakeFirst()
  return list !== undefined
}

/** In a transaction the list is not deleted before that ends. */
export async function findListName(tx: Tx, { accountId, listId }: ListRef): Promise<string | undefined> {
  const found = await tx
    .selectFrom('lists')
    .select('name')
    .where('accountId', '=', accountId)
    .where('id', '=', listId)
    .forKeyShare()
    .executeTakeFirst()
  return found?.name
}

type Membership = { accountId: AccountId; listId: ListId; contactId: ContactId }

/** Which of the two the account has. */
export type Found = { hasList: boolean; hasContact: boolean }

/**
 * Adds a contact to a list; a second time changes nothing. In one statement it checks which of the two this account
 * has, and adds only if it has both.
 */
export async function insertMember(db: Db, { accountId, listId, contactId }: Membership): Promise<Found> {
  const { rows } = await sql<Found>`
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

/** Takes a contact off a list, and says which of the two this account has. */
export async function deleteMember(db: Db, { accountId, listId, contactId }: Membership): Promise<Found> {
  const { rows } = await sql<Found>`
    with removed as (
      delete from list_members where account_id = ${accountId} and list_id = ${listId} and contact_id = ${contactId}
    )
    select
      exists (select from lists where account_id = ${accountId} and id = ${listId}) as has_list,
      exists (select from contacts where account_id = ${accountId} and id = ${contactId}) as has_contact
  `.execute(db)
  return rows[0] ?? { hasList: false, hasContact: false }
}

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
