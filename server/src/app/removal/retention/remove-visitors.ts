import { dropTurn } from '../../../journey/conversations/drop-turn.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { beginErasure, deleteEventsNaming } from '../erasure/erasure-store.ts'
import type { DueAccount } from './rule-store.ts'
import { lockVisitors } from './visitor-store.ts'

/**
 * Begins to erase the next visitors of whom nobody has heard for long enough. What is left of them is erased by whoever finishes
 * erasures, if this process dies.
 */
export async function removeVisitors(tx: Tx, due: DueAccount, limit: number): Promise<ContactId[]> {
  const gone = await lockVisitors(tx, due, limit)
  for (const contactId of gone) {
    const ref = { accountId: due.accountId, contactId }
    await dropTurn(tx, ref)
    await deleteEventsNaming(tx, ref)
    await beginErasure(tx, ref)
  }
  return gone
}
