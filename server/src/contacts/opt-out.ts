import { createHmac, hkdfSync } from 'node:crypto'
import type { Db, Tx } from '../platform/database/db.ts'
import type { AccountId, ContactId } from '../platform/ids.ts'
import {
  deleteOptOuts,
  hasOptOuts,
  type Identifiers,
  insertOptOuts,
  optOutIfKnown,
  readIdentifiers,
  writeOptOut,
} from './opt-out-store.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

/**
 * Opts a contact out again who had opted out before they were erased, and tells whether it did. To be asked before the bot
 * or a list could reach somebody; where nobody of the account was ever erased like that, it is one look into an index.
 */
export async function recognizeOptOut(db: Db, secretKey: Buffer, ref: Ref): Promise<boolean> {
  if (!(await hasOptOuts(db, ref.accountId))) return false
  const known = await readIdentifiers(db, ref)
  const hashes = known ? hashesOf(secretKey, ref.accountId, known) : []
  return hashes.length > 0 && optOutIfKnown(db, ref, hashes)
}

/** Keeps what is needed to recognize somebody who is erased, and from which nobody can tell who that was. */
export async function keepOptOut(tx: Tx, secretKey: Buffer, erased: Identifiers & Ref): Promise<void> {
  const hashes = hashesOf(secretKey, erased.accountId, erased)
  if (hashes.length > 0) await insertOptOuts(tx, erased.accountId, hashes)
}

/** They may be written to again, also when they are erased and come back. */
export async function endOptOut(tx: Tx, secretKey: Buffer, contact: Identifiers & Ref): Promise<void> {
  const { accountId } = contact
  await writeOptOut(tx, contact, null)
  const hashes = hashesOf(secretKey, accountId, contact)
  if (hashes.length > 0) await deleteOptOuts(tx, accountId, hashes)
}

/** By account, so that two of them cannot find out about a person whom they share. */
function hashesOf(secretKey: Buffer, accountId: AccountId, { externalId, phone, email }: Identifiers): Buffer[] {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'patchbay opt-outs', 32))
  return Object.entries({ externalId, phone, email }).flatMap(([kind, value]) =>
    value === null
      ? []
      : [
          createHmac('sha256', key)
            .update(JSON.stringify([accountId, kind, value]))
            .digest(),
        ],
  )
}
