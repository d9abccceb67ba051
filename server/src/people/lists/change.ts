import { limits } from '@patchbay/contract/limits.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId, type ListId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { noContact } from '../contacts/find.ts'
import { noList } from './add-contact.ts'
import { deleteListRow, deleteMember, findWhoCopies, insertList, updateListName } from './store.ts'

export async function renameList(
  db: Db,
  accountId: AccountId,
  { listId, name }: { listId: string; name: string },
): Promise<ListId> {
  const trimmed = readListName(name)
  if (!isId('lst', listId) || !(await updateListName(db, { accountId, listId }, trimmed))) throw noList()
  return listId
}

const whyKept = {
  scheduled: 'A broadcast to this list waits for its time. Cancel it, or give it another list.',
  preparing: 'A broadcast to this list is being prepared. Delete it in a moment, or stop the broadcast.',
}

/** Deletes a list and its memberships; the contacts stay. Not while a broadcast copies it or is to, which would reach only some, or nobody. */
export async function deleteList(db: Db, accountId: AccountId, listId: string): Promise<void> {
  if (!isId('lst', listId)) throw noList()
  await db.transaction().execute(async (tx) => {
    const copying = await findWhoCopies(tx, { accountId, listId })
    if (copying) throw new Refusal('CONFLICT', whyKept[copying])
    if (!(await deleteListRow(tx, { accountId, listId }))) throw noList()
  })
}

/** Takes a contact off a list; a repeated call changes nothing. */
export async function removeContactFromList(
  db: Db,
  accountId: AccountId,
  { listId, contactId }: { listId: string; contactId: string },
): Promise<void> {
  if (!isId('lst', listId)) throw noList()
  if (!isId('con', contactId)) throw noContact()
  const { hasList, hasContact } = await deleteMember(db, { accountId, listId, contactId })
  if (!hasList) throw noList()
  if (!hasContact) throw noContact()
}

/** Creates a list. Two may have the same name: callers use the id. */
export async function createList(db: Db, accountId: AccountId, name: string): Promise<ListId> {
  return insertList(db, accountId, readListName(name))
}

export function readListName(name: string): string {
  const trimmed = name.trim()
  if (trimmed !== '' && [...trimmed].length <= limits.nameCharacters) return trimmed
  throw new Refusal('INVALID_REQUEST', `A list's name must have 1 to ${limits.nameCharacters} characters.`)
}
