import { type By, noteAct, operator } from '../../../business/audit/store.ts'
import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import { dropTurn } from '../../../journey/conversations/drop-turn.ts'
import { keepOptOut } from '../../../people/contacts/opt-out.ts'
import { readIdentifiers } from '../../../people/contacts/opt-out-store.ts'
import { forgetInImports } from '../../../people/imports/forget.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { withLockTimeout } from '../../../platform/database/lock-timeout.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { findShownContact, lockContact, type ShownContact } from '../../inbox/contact-store.ts'
import { beginErasure, deleteEventsNaming, leaseErasure } from './erasure-store.ts'
import { finishErasure } from './finish-erasure.ts'

export async function showContact(db: Db, ref: ConversationRef): Promise<ShownContact> {
  const contact = await findShownContact(db, ref)
  if (!contact) throw notFound(ref)
  return contact
}

/**
 * Erases a contact and all messages from and to them. A message that they send at the same moment is erased too or
 * creates a new contact; an answer that is being generated is never sent. When it returns, nothing is left; if the
 * process dies, a worker or another call finishes it. Of a contact who had opted out a keyed hash stays, to recognize
 * them. The ledger keeps what was paid: it has only the contact's id.
 */
export async function eraseContact(
  { db, secretKey }: { db: Db; secretKey: Buffer },
  ref: ConversationRef,
  by?: By,
): Promise<{ erased: true; messages: number }> {
  // First, as long as it is known what they are recognized by; a row that waits must not bring them back.
  const identifiers = await readIdentifiers(db, ref)
  if (identifiers) await forgetInImports({ db, secretKey }, ref.accountId, identifiers)
  await withLockTimeout(db, (tx) => begin(tx, { secretKey, by }, ref))
  return { erased: true, messages: await finishErasure(db, ref) }
}

async function begin(
  tx: Tx,
  { secretKey, by = operator }: { secretKey: Buffer; by: By | undefined },
  ref: ConversationRef,
): Promise<void> {
  const contact = await lockContact(tx, ref)
  if (contact) {
    if (contact.isOptedOut) await keepOptOut(tx, secretKey, { ...ref, ...contact })
    await dropTurn(tx, ref)
    await deleteEventsNaming(tx, ref)
    await beginErasure(tx, ref)
    await noteAct(tx, ref.accountId, { act: 'contact erased', ...by, details: { contactId: ref.contactId } })
  } else if (!(await leaseErasure(tx, ref))) throw notFound(ref)
}

const notFound = ({ contactId }: ConversationRef) =>
  new Refusal('CONTACT_NOT_FOUND', `There is no contact ${contactId} in this account.`)
