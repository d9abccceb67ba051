import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseEmail } from '../../platform/text/email.ts'
import { parsePhoneInQuery } from './phone.ts'
import { type ContactRow, findByEmail, findByExternalId, findById, findByPhone } from './store.ts'

export type ContactFilter = { phone: string | undefined; email: string | undefined; fromId?: string | undefined }

/** Finds the contact with this phone number, e-mail address or id: exactly one of them must be given. */
export async function findContact(db: Db, accountId: AccountId, filter: ContactFilter): Promise<ContactRow> {
  const { phone, email, fromId } = filter
  if ([phone, email, fromId].filter((one) => one !== undefined).length > 1) {
    throw new Refusal('INVALID_REQUEST', 'Give one of phoneNumber, email and fromId, not several.')
  }
  const contact =
    fromId !== undefined
      ? await byExternalId(db, accountId, fromId)
      : phone !== undefined
        ? await byPhone(db, accountId, phone)
        : await byEmail(db, accountId, requireEmail(email))
  // A value that is no valid phone number or e-mail address gets the same answer.
  if (!contact) throw noContact()
  return contact
}

/** An id of another account's contact, or of nobody, gets the same answer. */
export async function findContactById(db: Db, accountId: AccountId, contactId: string): Promise<ContactRow> {
  const contact = isId('con', contactId) ? await findById(db, accountId, contactId) : undefined
  if (!contact) throw noContact()
  return contact
}

/** Another account's contact gets the same answer as one that does not exist. */
export function noContact(): Refusal {
  return new Refusal('CONTACT_NOT_FOUND', 'There is no such contact.')
}

function requireEmail(email: string | undefined): string {
  if (email !== undefined) return email
  throw new Refusal('PHONE_OR_EMAIL_REQUIRED', 'Give one of phoneNumber, email and fromId.')
}

/** PostgreSQL takes no NUL, and no stored text has one. */
async function byExternalId(db: Db, accountId: AccountId, fromId: string): Promise<ContactRow | undefined> {
  return fromId.includes('\0') ? undefined : findByExternalId(db, accountId, fromId)
}

async function byPhone(db: Db, accountId: AccountId, text: string): Promise<ContactRow | undefined> {
  const phone = parsePhoneInQuery(text)
  return phone === undefined ? undefined : findByPhone(db, accountId, phone)
}

async function byEmail(db: Db, accountId: AccountId, text: string): Promise<ContactRow | undefined> {
  for (const email of spellingsInQuery(text)) {
    const address = parseEmail(email)
    const contact = address === undefined ? undefined : await findByEmail(db, accountId, address)
    if (contact) return contact
  }
  return undefined
}

/**
 * In a query string a raw `+` arrives as a space. No e-mail address has a space inside, so an inner space was a `+`; a
 * leading one may have been either.
 */
function spellingsInQuery(text: string): string[] {
  const inner = text.trim().replaceAll(' ', '+')
  return /^\s/.test(text) ? [inner, `+${inner}`] : [inner]
}
