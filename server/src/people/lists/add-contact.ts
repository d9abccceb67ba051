import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { noContact } from '../contacts/find.ts'
import { recognizeOptOut } from '../contacts/opt-out.ts'
import { type Found, insertMember } from './store.ts'

/**
 * Adds a contact of this account to a list of this account; a repeated call changes nothing. A contact who has opted
 * out may be on a list: whoever writes to a list leaves them out.
 */
export async function addContactToList(
  { db, secretKey }: { db: Db; secretKey: Buffer },
  accountId: AccountId,
  { listId, contactId }: { listId: string; contactId: string },
): Promise<void> {
  if (!isId('lst', listId)) throw noList()
  if (!isId('con', contactId)) throw noContact()
  const { hasList, hasContact } = await insertMember(db, { accountId, listId, contactId }).catch(deletedMeanwhile)
  if (!hasList) throw noList()
  if (!hasContact) throw noContact()
  await recognizeOptOut(db, secretKey, { accountId, contactId })
}

/** Another account's list gets the same answer as one that does not exist. */
export function noList(): Refusal {
  return new Refusal('LIST_NOT_FOUND', 'There is no such list.')
}

/** 23503: list or contact was deleted after the check and before the insert. The constraint's name says which. */
function deletedMeanwhile(error: unknown): Found {
  if (!(error instanceof Error && 'code' in error && error.code === '23503')) throw error
  const hasList = !('constraint' in error && String(error.constraint).includes('list_id'))
  return { hasList, hasContact: !hasList }
}
