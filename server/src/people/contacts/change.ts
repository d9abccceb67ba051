import type { ContactText } from '@patchbay/contract/contact-texts.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { moveUnusedPhones } from './addresses/phone-address-store.ts'
import { neitherPhoneNorEmail, readEmail, readPhone } from './create.ts'
import { noContact } from './find.ts'
import { recognizeOptOut } from './opt-out.ts'
import { readIdentifiers } from './opt-out-store.ts'
import { fillExternalId, findByExternalId, findByPhone, hasContact, updateContact } from './store.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

/** Null removes a value, undefined leaves it as it is. */
export type ContactChange = Partial<Record<ContactText | 'phone' | 'email', string | null>>

/**
 * Changes the given fields of a contact and no others, so that two people who edit different fields at once both keep
 * their change; all of them or none. A contact that nothing would identify any more is refused in the statement itself: two
 * edits that each remove one of two identifiers cannot both pass. `externalId` is filled; one that the contact has stays.
 */
export async function changeContact(
  { db, secretKey }: { db: Db; secretKey: Buffer },
  ref: Ref,
  { externalId, ...given }: ContactChange & { externalId?: string | null | undefined },
): Promise<void> {
  const change = { ...given }
  if (typeof change.phone === 'string') change.phone = readPhone(change.phone)
  if (typeof change.email === 'string') change.email = readEmail(change.email)
  const work = async (tx: Tx) => {
    if (externalId) await requireFree(tx, ref, externalId)
    await writeChange(tx, ref, change)
    const isFilled = externalId ? await fillExternalId(tx, ref, externalId) : false
    if (externalId && !isFilled) await requireFree(tx, ref, externalId)
    if (change.phone !== undefined) await moveUnusedPhones(tx, ref.accountId, [ref.contactId])
    // Whoever opted out and was erased may be this person: their number, address or id has come back.
    if (change.phone || change.email || isFilled) await recognizeOptOut(tx, secretKey, ref)
  }
  for (;;) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (!hasSqlState(error, '23505')) throw error
    }
    const holder = change.phone ? await findByPhone(db, ref.accountId, change.phone) : undefined
    if (holder && holder.id !== ref.contactId) throw new Refusal('CONFLICT', `${nameOf(holder)} has this phone number.`)
    if (externalId) await requireFree(db, ref, externalId)
    // Whoever had it was erased meanwhile, and it is free again.
  }
}

async function writeChange(tx: Tx, ref: Ref, change: ContactChange): Promise<void> {
  if (Object.values(change).every((value) => value === undefined)) return
  if (await updateContact(tx, ref, change)) return
  throw (await hasContact(tx, ref)) ? neitherPhoneNorEmail() : noContact()
}

/** Refuses an id that a contact has. */
export async function requireUnused(db: Db, accountId: AccountId, externalId: string): Promise<void> {
  const holder = await findByExternalId(db, accountId, externalId)
  if (holder) throw new Refusal('ID_TAKEN', `${nameOf(holder)} has this ID.`)
}

/** Refuses an id that another contact has, or that a contact with another one is to get. */
async function requireFree(db: Db, ref: Ref, externalId: string): Promise<void> {
  const holder = await findByExternalId(db, ref.accountId, externalId)
  if (holder && holder.id !== ref.contactId) throw new Refusal('ID_TAKEN', `${nameOf(holder)} has this ID.`)
  const { externalId: own = null } = (await readIdentifiers(db, ref)) ?? {}
  if (own === null || own === externalId) return
  throw new Refusal('ID_TAKEN', 'This contact has another ID, which stays: messages find their contact by it.')
}

type NameFields = Record<ContactText, string | null> & { email: string | null }

/** What a refusal calls somebody who has what another one wants. */
export function nameOf({ firstName, lastName, email }: NameFields): string {
  const name = [firstName, lastName].filter((part) => part?.trim()).join(' ')
  return name || email || 'Another contact'
}
