import { recognizeOptOut } from '../contacts/opt-out.ts'
import type { Db } from '../platform/database/db.ts'
import { type AccountId, isId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { insertMember } from './store.ts'

/**
 * Puts a contact of this account on a list of this account, once however often it is asked. Somebody who does not want to
 * be written to may be on a list: whoever writes to a list leaves them out.
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

/** Another account's list is as unknown as one that never was: the same words. */
function noList(): Refusal {
  return new Refusal('LIST_NOT_FOUND', 'There is no such list.')
}

function noContact(): Refusal {
  return new Refusal('CONTACT_NOT_FOUND', 'There is no such contact.')
}

/** 23503: it was there when we looked and gone when we linked to it. The constraint's columns tell which. */
function deletedMeanwhile(error: unknown): { hasList: boolean; hasContact: boolean } {
  if (!(error instanceof Error && 'code' in error && error.code === '23503')) throw error
  const hasList = !('constraint' in error && String(error.constraint).includes('list_id'))
  return { hasList, hasContact: !hasList }
}
