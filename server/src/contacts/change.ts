import type { ContactText } from '@patchbay/contract/contact-texts.ts'
import type { Db } from '../platform/database/db.ts'
import { hasSqlState } from '../platform/database/sql-state.ts'
import type { AccountId, ContactId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { neitherPhoneNorEmail, readEmail, readPhone } from './create.ts'
import { recognizeOptOut } from './opt-out.ts'
import { findByPhone, hasContact, updateContact } from './store.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

/** Null removes a value, undefined leaves it as it is. */
export type ContactChange = Partial<Record<ContactText | 'phone' | 'email', string | null>>

/**
 * Changes the given fields of a contact and no others, so that two people who edit different fields at once both keep
 * their change. A contact that nothing would identify any more is refused in the statement itself: two edits that each
 * remove one of two identifiers cannot both pass.
 */
export async function changeContact(
  { db, secretKey }: { db: Db; secretKey: Buffer },
  ref: Ref,
  given: ContactChange,
): Promise<void> {
  const change = { ...given }
  if (Object.values(change).every((value) => value === undefined)) return
  if (typeof change.phone === 'string') change.phone = readPhone(change.phone)
  if (typeof change.email === 'string') change.email = readEmail(change.email)
  while (!(await tryToChange(db, ref, change))) {
    const holder = change.phone ? await findByPhone(db, ref.accountId, change.phone) : undefined
    // None: erased between the two statements, and the number is free again.
    if (holder) throw new Refusal('CONFLICT', `${nameOf(holder)} has this phone number.`)
  }
  // Whoever opted out and was erased may be this person: their number or address has come back.
  if (change.phone || change.email) await recognizeOptOut(db, secretKey, ref)
}

/** False when another contact has the phone number. */
async function tryToChange(db: Db, ref: Ref, change: ContactChange): Promise<boolean> {
  try {
    if (await updateContact(db, ref, change)) return true
  } catch (error) {
    if (hasSqlState(error, '23505')) return false
    throw error
  }
  throw (await hasContact(db, ref)) ? neitherPhoneNorEmail() : noContact()
}

/** Another account's contact gets the same answer as one that does not exist. */
export function noContact(): Refusal {
  return new Refusal('CONTACT_NOT_FOUND', 'There is no such contact.')
}

type Named = Record<ContactText, string | null> & { email: string | null }

function nameOf({ firstName, lastName, email }: Named): string {
  const name = [firstName, lastName].filter((part) => part?.trim()).join(' ')
  return name || email || 'Another contact'
}
