import { createHmac, hkdfSync } from 'node:crypto'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'
import { phoneVariants } from '../../platform/text/phone-variants.ts'
import {
  deleteOptOuts,
  hasOptOuts,
  type Identifiers,
  insertOptOuts,
  optOutIfStored,
  optOutWhoIsStored,
  readIdentifiers,
  readManyIdentifiers,
  writeOptOut,
} from './opt-out-store.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

/**
 * Opts a contact out again who had opted out before they were erased, and returns whether it did. Must run before the
 * bot or a list could write to a contact. In an account without such contacts it costs one index look-up. `externalId`: the id
 * that a contact without one is about to get.
 */
export async function recognizeOptOut(
  db: Db,
  secretKey: Buffer,
  { externalId = null, ...ref }: Ref & { externalId?: string | null },
): Promise<boolean> {
  if (!(await hasOptOuts(db, ref.accountId))) return false
  const known = await readIdentifiers(db, ref)
  const identifiers = known && { ...known, externalId: known.externalId ?? externalId }
  const hashes = identifiers ? hashesOf(secretKey, ref.accountId, identifiers) : []
  return hashes.length > 0 && optOutIfStored(db, ref, hashes)
}

/** Recognizes many contacts in one statement: none of them may be left out because the process dies in between. */
export async function recognizeOptOuts(
  db: Db,
  secretKey: Buffer,
  { accountId, contactIds }: { accountId: AccountId; contactIds: ContactId[] },
): Promise<void> {
  if (contactIds.length === 0 || !(await hasOptOuts(db, accountId))) return
  const contacts = await readManyIdentifiers(db, accountId, contactIds)
  const hashes = contacts.flatMap((contact) =>
    hashesOf(secretKey, accountId, contact).map((hash) => ({ contactId: contact.id, hash })),
  )
  if (hashes.length > 0) await optOutWhoIsStored(db, accountId, hashes)
}

/** Stores keyed hashes that recognize an erased contact who comes back, and do not reveal who it was. */
export async function keepOptOut(tx: Tx, secretKey: Buffer, erased: Identifiers & Ref): Promise<void> {
  const hashes = hashesOf(secretKey, erased.accountId, erased)
  if (hashes.length > 0) await insertOptOuts(tx, erased.accountId, hashes)
}

/** Ends the opt-out, also for a contact who is erased later and comes back. Returns whether the contact had one. */
export async function endOptOut(tx: Tx, secretKey: Buffer, contact: Identifiers & Ref): Promise<boolean> {
  const { accountId } = contact
  const hadOne = await writeOptOut(tx, contact, null)
  const hashes = hashesOf(secretKey, accountId, contact)
  if (hashes.length > 0) await deleteOptOuts(tx, accountId, hashes)
  return hadOne
}

/**
 * The account is part of the hash, so that two accounts cannot find out that they share a contact. A phone number is one whether it is
 * the contact's field or their address on a channel, and whoever comes back may have it in another variant.
 */
function hashesOf(secretKey: Buffer, accountId: AccountId, identifiers: Identifiers): Buffer[] {
  const { externalId, phone, email, addresses } = identifiers
  const fields = Object.entries({ externalId, email }).filter(([, value]) => value !== null)
  const isPhone = ({ kind }: { kind: string }) => kind === 'phone'
  const phones = [...(phone === null ? [] : [phone]), ...addresses.filter(isPhone).map(({ address }) => address)]
  const variants = [...new Set(phones.flatMap(phoneVariants))].map((one) => ['phone', one])
  const others = addresses.filter((one) => !isPhone(one)).map(({ kind, address }) => ['address', kind, address])
  const known = [...fields, ...variants, ...others]
  const key = keyOf(secretKey)
  return known.map((words) =>
    createHmac('sha256', key)
      .update(JSON.stringify([accountId, ...words]))
      .digest(),
  )
}

const keys = new WeakMap<Buffer, Buffer>()

/** The key is derived once for each secret key: an import asks for thousands of contacts. */
function keyOf(secretKey: Buffer): Buffer {
  return keys.getOrInsertComputed(secretKey, () =>
    Buffer.from(hkdfSync('sha256', secretKey, '', 'patchbay opt-outs', 32)),
  )
}
