import { type By, noteAct } from '../../../business/audit/store.ts'
import {
  askedToBeDeleted,
  type ConversationRef,
  changeConversation,
  noteEvent,
} from '../../../journey/conversations/conversation-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { UserId } from '../../../platform/ids.ts'
import { hasAskedToBeDeleted } from '../conversations/detail-store.ts'
import { inConversation } from './set-state.ts'

/**
 * Decides that somebody who asked to be deleted stays: nobody waits for it any more, and thread and audit say who decided it. Asked
 * again, they wait again. Decided twice is decided once.
 */
export async function keepContact(
  db: Db,
  ref: ConversationRef,
  { userId, by }: { userId: UserId; by: By },
): Promise<void> {
  await inConversation(db, ref, async (tx) => {
    if (!(await hasAskedToBeDeleted(tx, ref))) return
    await noteEvent(tx, ref, { kind: 'not deleted', userId })
    const details = { contactId: ref.contactId }
    await noteAct(tx, ref.accountId, { act: 'deletion refused', ...by, details })
    await changeConversation(tx, ref, { waitsNoMoreFor: askedToBeDeleted })
  })
}
