import type { Tx } from '../../../../platform/database/db.ts'
import type { AccountId, ContactId, ReceiverId } from '../../../../platform/ids.ts'
import { noteEvent } from '../../../conversations/conversation-store.ts'
import { writeBlocked } from './part-store.ts'

/** What failed for good because they take nothing from the channel any more: nothing else is tried, and the conversation says so. */
export async function noteBlocked(
  tx: Tx,
  { accountId, receiverId, contactId }: { accountId: AccountId; receiverId: ReceiverId; contactId: ContactId | null },
): Promise<void> {
  if (contactId === null || !(await writeBlocked(tx, { accountId, receiverId, contactId }))) return
  await noteEvent(tx, { accountId, contactId }, { kind: 'blocked', userId: null })
}
