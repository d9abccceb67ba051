import type { Tx } from '../../platform/database/db.ts'
import type { AccountId, ListId } from '../../platform/ids.ts'
import { moveUnusedPhones } from '../contacts/addresses/phone-address-store.ts'
import { recognizeOptOuts } from '../contacts/opt-out.ts'
import { insertMembers } from '../lists/store.ts'
import { findCandidates, insertContacts, lockContacts, updateContacts } from './contact-store.ts'
import { type GivenRow, isRowError, type RowError } from './file/read-row.ts'
import { isChanged, type MatchedContact, Matching, type Outcome } from './match.ts'

/** Somebody else has changed a contact between our look and our write: roll back, and look again. */
export class WriteConflict extends Error {}

type ImportOptions = { accountId: AccountId; secretKey: Buffer; listId: ListId | null; overwrites: boolean }

/**
 * Imports rows within a transaction: what becomes of each, in their order. It looks without locks, so that a row that
 * changes nothing locks nothing; then locks whom it changes, and throws `WriteConflict` if they are not what it saw.
 */
export async function importRows(
  tx: Tx,
  how: ImportOptions,
  rows: (GivenRow | RowError)[],
): Promise<(Outcome | RowError)[]> {
  const { accountId, secretKey, listId, overwrites } = how
  const given = rows.filter((row): row is GivenRow => !isRowError(row))
  const matching = new Matching(await findCandidates(tx, accountId, given), { overwrites })
  const outcomes = rows.map((row) => (isRowError(row) ? row : matching.apply(row)))
  const written = matching.written()
  await write(tx, accountId, written)
  const touched = [...new Set(outcomes.flatMap((one) => ('contactId' in one ? one.contactId : [])))]
  if (touched.length === 0) return outcomes
  // Before a list or the bot could write to them. Whoever is put on a list is looked at as if they were new.
  const toRecognize = listId === null ? written.map(({ now }) => now.id) : touched
  await recognizeOptOuts(tx, secretKey, { accountId, contactIds: toRecognize })
  // A list that was deleted meanwhile: they are on none.
  if (listId !== null) await insertMembers(tx, { accountId, listId }, touched)
  return outcomes
}

async function write(tx: Tx, accountId: AccountId, written: MatchedContact[]): Promise<void> {
  const changed = written.filter(({ before }) => before !== undefined)
  if (changed.length > 0) {
    const ids = changed.map(({ now }) => now.id)
    const locked = await lockContacts(tx, accountId, ids)
    const byId = new Map(locked.map((contact) => [contact.id, contact]))
    const isAsSeen = ({ now, before }: MatchedContact) => {
      const contact = byId.get(now.id)
      return contact && before && !isChanged(contact, before)
    }
    if (!changed.every(isAsSeen)) throw new WriteConflict()
    const contacts = changed.map(({ now }) => now)
    await updateContacts(tx, accountId, contacts)
    const moved = changed.filter(({ now, before }) => before?.phone !== now.phone).map(({ now }) => now.id)
    await moveUnusedPhones(tx, accountId, moved)
  }
  const added = written.filter(({ before }) => before === undefined).map(({ now }) => now)
  if ((await insertContacts(tx, accountId, added)) < added.length) throw new WriteConflict()
}
