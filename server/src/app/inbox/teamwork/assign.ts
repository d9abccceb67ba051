import type { ConversationRef } from '../../../journey/conversations/conversation-store.ts'
import { noteEvent } from '../../../journey/conversations/event-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { isId, type UserId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { isAssignable, readAssignee, writeAssignee } from './assignee-store.ts'
import { inConversation } from './set-state.ts'

/** Assigns a conversation to a user of the account, or to nobody. */
export async function assign(
  db: Db,
  ref: ConversationRef,
  { userId, to }: { userId: UserId; to: string | null },
): Promise<void> {
  if (to !== null && !isId('usr', to)) throw noSuchUser()
  await inConversation(db, ref, async (tx) => {
    if (to !== null && !(await isAssignable(tx, ref.accountId, to))) throw noSuchUser()
    if ((await readAssignee(tx, ref)) === to) return
    await writeAssignee(tx, ref, to)
    await noteEvent(tx, ref, { kind: to === null ? 'unassigned' : 'assigned', userId, toUserId: to })
  })
}

const noSuchUser = () => new Refusal('NOT_FOUND', 'There is no such user in this account.')
