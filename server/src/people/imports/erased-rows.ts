import { createHmac, hkdfSync } from 'node:crypto'
import type { Tx } from '../../platform/database/db.ts'
import { withoutGuard } from '../../platform/text/csv.ts'
import { parseEmail } from '../../platform/text/email.ts'
import { parsePhoneOf } from '../contacts/phone.ts'
import { addErasedKeys, type ImportRef, readErasedKeys } from './store.ts'

/**
 * What in these cells could identify somebody, spelled as a contact has it. Nobody knows which column is which when somebody
 * is erased, so a cell of digits counts as a phone number and as an external id.
 */
export function keysOf(cells: string[], country: string | null): string[] {
  const keys = cells.flatMap((cell) => {
    const text = withoutGuard(cell).trim()
    return text === '' ? [] : [parsePhoneOf(text, country), parseEmail(text), text, cell.trim()]
  })
  return [...new Set(keys)].filter((key) => key !== undefined)
}

/** Whether a row with these cells is about somebody who was erased since the file came. */
export type IsErased = (cells: string[], country: string | null) => boolean

type KeyedImport = ImportRef & { secretKey: Buffer }

/**
 * Keeps what an erased contact was recognized by with an import that is not over: rows of theirs are still to be read from the
 * file, or are recognized only when its country is chosen. Keyed hashes, which do not reveal who it was. Needs the lock.
 */
export async function keepErased(tx: Tx, { secretKey, ...ref }: KeyedImport, keys: Iterable<string>): Promise<void> {
  const hash = hashingFor(secretKey, ref)
  await addErasedKeys(tx, ref, [...keys].map(hash))
}

/** Reads who was erased; undefined: nobody was. Needs the lock, so that nobody is erased until the rows are written. */
export async function readErased(tx: Tx, { secretKey, ...ref }: KeyedImport): Promise<IsErased | undefined> {
  const erased = new Set(await readErasedKeys(tx, ref))
  if (erased.size === 0) return undefined
  const hash = hashingFor(secretKey, ref)
  return (cells, country) => keysOf(cells, country).some((key) => erased.has(hash(key)))
}

function hashingFor(secretKey: Buffer, { accountId, importId }: ImportRef): (key: string) => string {
  const own = Buffer.from(hkdfSync('sha256', secretKey, '', `patchbay erased rows ${accountId} ${importId}`, 32))
  return (key) => createHmac('sha256', own).update(key).digest('base64')
}
