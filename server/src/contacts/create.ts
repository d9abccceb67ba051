import type { ContactText } from '@patchbay/contract/contact-texts.ts'
import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { parseEmail } from '../platform/text/email.ts'
import { parsePhone } from './phone.ts'
import { type ContactRow, findByPhone, insertUnlessPhoneKnown, lockByPhone } from './store.ts'

export type GivenContact = {
  texts: Record<ContactText, string | null>
  phone: string | undefined
  email: string | undefined
}

/**
 * Creates a contact, or returns the one that already has this phone number, unchanged. Of parallel calls with one
 * number, exactly one creates it. In a transaction, the contact cannot be erased before that ends.
 */
export async function createContact(
  db: Db,
  accountId: AccountId,
  given: GivenContact,
): Promise<{ contact: ContactRow; isNew: boolean }> {
  const phone = given.phone === undefined ? null : readPhone(given.phone)
  const email = given.email === undefined ? null : readEmail(given.email)
  if (phone === null && email === null) throw neitherPhoneNorEmail()
  const contact = { ...given.texts, phone, email }
  for (;;) {
    const created = await insertUnlessPhoneKnown(db, accountId, contact)
    if (created) return { contact: created, isNew: true }
    const find = db.isTransaction ? lockByPhone : findByPhone
    const known = phone === null ? undefined : await find(db, accountId, phone)
    if (known) return { contact: known, isNew: false }
    // Erased between the two statements: the number is free again.
  }
}

export function neitherPhoneNorEmail(): Refusal {
  return new Refusal('PHONE_OR_EMAIL_REQUIRED', 'Give at least one of phone and email.')
}

export function readPhone(text: string): string {
  const phone = parsePhone(text)
  if (phone) return phone
  throw new Refusal('INVALID_PHONE', 'phone must begin with + and a country code, such as +15551234567.')
}

export function readEmail(text: string): string {
  const email = parseEmail(text)
  if (email) return email
  throw new Refusal('INVALID_EMAIL', 'email must be an e-mail address, such as ana@example.com.')
}
