import type { ConversationRef } from '../bot/conversation/conversation-store.ts'
import { dropTurn } from '../bot/conversation/drop-turn.ts'
import { keepOptOut } from '../contacts/opt-out.ts'
import { withBriefLocks } from '../platform/database/brief-locks.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { Refusal } from '../platform/refusal.ts'
import { findShownContact, lockContact, type ShownContact } from './contact-store.ts'
import { beginErasure, holdErasure } from './erasure-store.ts'
import { finishErasure } from './finish-erasure.ts'

export async function showContact(db: Db, ref: ConversationRef): Promise<ShownContact> {
  const contact = await findShownContact(db, ref)
  if (!contact) throw unknown(ref)
  return contact
}

/**
 * Erases a contact and everything they said or were told. A message that they send at the same moment is erased with
 * them or makes them anew; an answer that is thought out at the moment is never sent. Once it has returned, nothing is left;
 * killed on the way, it is gone on with by a worker, or by asking again. Of somebody who had opted out, a keyed hash stays,
 * by which they are known again. The ledger keeps what was paid: it names the contact by id alone.
 */
export async function eraseContact(
  { db, secretKey }: { db: Db; secretKey: Buffer },
  ref: ConversationRef,
): Promise<{ erased: true; messages: number }> {
  await withBriefLocks(db, (tx) => begin(tx, secretKey, ref))
  return { erased: true, messages: await finishErasure(db, ref) }
}

async function begin(tx: Tx, secretKey: Buffer, ref: ConversationRef): Promise<void> {
  const known = await lockContact(tx, ref)
  if (known) {
    if (known.isOptedOut) await keepOptOut(tx, secretKey, { ...ref, ...known })
    await dropTurn(tx, ref)
    await beginErasure(tx, ref)
  } else if (!(await holdErasure(tx, ref))) throw unknown(ref)
}

const unknown = ({ contactId }: ConversationRef) =>
  new Refusal('CONTACT_NOT_FOUND', `There is no contact ${contactId} in this account.`)
