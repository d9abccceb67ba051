import { noteEvent } from '../../../journey/conversations/conversation-store.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { type OnChat, signIn } from './visitor-store.ts'

/** What a browser wrote before is shown to this customer alone from now on, which both conversations say. False: it is somebody's already. */
export async function noteSignIn(
  tx: Tx,
  on: OnChat,
  { before, member }: { before: ContactId; member: ContactId },
): Promise<boolean> {
  if (!(await signIn(tx, { ...on, contactId: before }, { contactId: member }))) return false
  for (const contactId of [before, member]) {
    await noteEvent(tx, { accountId: on.accountId, contactId }, { kind: 'signed in', userId: null })
  }
  return true
}
