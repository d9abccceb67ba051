import type { ContactText } from '@patchbay/contract/contact-texts.ts'
import type { Tx } from '../../platform/database/db.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import type { AccountId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { parseEmail } from '../../platform/text/email.ts'
import { keepFromErasure } from './addresses/address-store.ts'
import { findByAnyPhone } from './addresses/phone-address-store.ts'
import { recognizeOptOut } from './opt-out.ts'
import { parsePhone } from './phone.ts'
import { type ContactRow, fillExternalId, findByExternalId, findById, insertUnlessKnown, lockByPhone } from './store.ts'

export type GivenContact = {
  texts: Record<ContactText, string | null>
  phone: string | undefined
  email: string | undefined
  /** The contact's id on the external platform. */
  fromId?: string | undefined
  /**
   * A contact that is known gets no id, either: whoever fills in a form is asked first. They are known by any variant of the number, too:
   * a form is for one person, and two contacts of one telephone are none.
   */
  leavesKnown?: boolean
}

export type CreatedContact = {
  contact: ContactRow
  isNew: boolean
  /** It was known, and has got the id. */
  isFilled: boolean
}

/**
 * Creates a contact, or returns the one that already has this phone number, unchanged but for an id that it did not have. Of
 * parallel calls with one number, exactly one creates it. The contact cannot be erased before the transaction ends, and whoever
 * had opted out is opted out again with it.
 */
export async function createContact(
  tx: Tx,
  { accountId, secretKey }: { accountId: AccountId; secretKey: Buffer },
  given: GivenContact,
): Promise<CreatedContact> {
  const created = await findOrCreate(tx, accountId, given)
  const { contact, isNew, isFilled } = created
  if (isNew || isFilled) await recognizeOptOut(tx, secretKey, { accountId, contactId: contact.id })
  return created
}

async function findOrCreate(tx: Tx, accountId: AccountId, given: GivenContact): Promise<CreatedContact> {
  const { fromId = null, leavesKnown = false } = given
  const phone = given.phone === undefined ? null : readPhone(given.phone)
  const email = given.email === undefined ? null : readEmail(given.email)
  if (phone === null && email === null) throw neitherPhoneNorEmail()
  const contact = { ...given.texts, phone, email, externalId: fromId }
  for (;;) {
    const other = leavesKnown && phone !== null ? await findOther(tx, accountId, phone) : undefined
    if (other) return { contact: other, isNew: false, isFilled: false }
    const created = await insertUnlessKnown(tx, accountId, contact)
    if (created) return { contact: created, isNew: true, isFilled: false }
    const known = phone === null ? undefined : await lockByPhone(tx, accountId, phone)
    if (known) {
      const { externalId, ...row } = known
      if (fromId === null || externalId === fromId || leavesKnown)
        return { contact: row, isNew: false, isFilled: false }
      if (externalId !== null)
        throw new Refusal('INVALID_REQUEST', 'fromId: the contact with this phone has another id.')
      if (await fill(tx, { accountId, contactId: row.id }, fromId))
        return { contact: row, isNew: false, isFilled: true }
    } else if (fromId !== null && (await findByExternalId(tx, accountId, fromId))) throw idOfAnother()
    // Erased between the two statements: the number is free again.
  }
}

/** Who has the number in another variant. They cannot be erased before the transaction ends. */
async function findOther(tx: Tx, accountId: AccountId, phone: string): Promise<ContactRow | undefined> {
  const contactId = await findByAnyPhone(tx, accountId, phone)
  if (contactId === undefined || !(await keepFromErasure(tx, { accountId, contactId }))) return undefined
  return findById(tx, accountId, contactId)
}

async function fill(tx: Tx, ref: { accountId: AccountId; contactId: ContactRow['id'] }, fromId: string) {
  try {
    return await fillExternalId(tx, ref, fromId)
  } catch (error) {
    throw hasSqlState(error, '23505') ? idOfAnother() : error
  }
}

const idOfAnother = () => new Refusal('INVALID_REQUEST', 'fromId: another contact has this id.')

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
