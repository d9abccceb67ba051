import type { ConversationRef } from '../bot/conversation-store.ts'
import { dropTurn } from '../bot/drop-turn.ts'
import { keepOptOut } from '../contacts/opt-out.ts'
import type { Db } from '../platform/db.ts'
import { insist } from '../platform/insist.ts'
import { Refusal } from '../platform/refusal.ts'
import { deleteContact, findShownContact, lockContact, type ShownContact } from './contact-store.ts'

export async function showContact(db: Db, ref: ConversationRef): Promise<ShownContact> {
  const contact = await findShownContact(db, ref)
  if (!contact) throw unknown(ref)
  return contact
}

/**
 * Erases a contact and everything they said or were told. A message that they send at the same moment is erased with
 * them or makes them anew; an answer that is thought out at the moment is never sent. Of somebody who had opted out, a
 * keyed hash stays, by which they are known again.
 */
export async function eraseContact(
  { db, secretKey }: { db: Db; secretKey: Buffer },
  ref: ConversationRef,
): Promise<{ erased: true; messages: number }> {
  return insist(() =>
    db.transaction().execute(async (tx) => {
      const known = await lockContact(tx, ref)
      if (!known) throw unknown(ref)
      if (known.isOptedOut) await keepOptOut(tx, secretKey, { ...ref, ...known })
      await dropTurn(tx, ref)
      return { erased: true as const, ...(await deleteContact(tx, ref)) }
    }),
  )
}

const unknown = ({ contactId }: ConversationRef) =>
  new Refusal('CONTACT_NOT_FOUND', `There is no contact ${contactId} in this account.`)
