import { dropTurn } from '../../../journey/conversations/drop-turn.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import {
  findChanging,
  findTurnsWithoutMessages,
  lockConversations,
  type Reach,
  settleConversations,
} from './conversation-store.ts'
import { deleteMessages, lockSettled, type OldMessage, readOldMessages } from './message-store.ts'
import type { DueAccount } from './rule-store.ts'

/**
 * Removes the next messages that are over, with their deliveries and attempts. What somebody else is working on at this
 * moment is left for the next time, and so is what is still to be delivered. Returns how many were removed, and after
 * which to go on; undefined: there are no more that can be removed in this round.
 */
export async function removeMessages(
  tx: Tx,
  due: DueAccount,
  next: { after: string; limit: number; notedSeconds: number },
): Promise<{ removed: number; last: string | undefined }> {
  const { accountId } = due
  const old = await readOldMessages(tx, due, next)
  const last = old.length < next.limit ? undefined : old.at(-1)?.id
  const ready = old.filter(({ isReady }) => isReady)
  if (ready.length === 0) return { removed: 0, last: undefined } // noted by id, so the rest is not noted either
  const outgoing = ready.filter(({ isOutgoing }) => isOutgoing).map(({ id }) => id)
  const settled = await lockSettled(tx, accountId, outgoing)
  const free = ready.filter(({ id, isOutgoing }) => !isOutgoing || settled.has(id))
  const changing = await findChanging(tx, accountId, reachOf(free))
  const locked = await lockConversations(tx, accountId, changing)
  const ours = free.filter(({ contactId }) => !changing.includes(contactId) || locked.has(contactId))
  const ids = ours.map(({ id }) => id)
  await deleteMessages(tx, accountId, ids)
  if (locked.size > 0) await settle(tx, accountId, [...locked])
  return { removed: ours.length, last }
}

function reachOf(messages: OldMessage[]): Reach {
  const reach = new Map<ContactId, bigint>()
  for (const { contactId, seq } of messages) {
    const [one, before] = [BigInt(seq), reach.get(contactId) ?? 0n]
    reach.set(contactId, one > before ? one : before)
  }
  return [...reach].map(([contactId, seq]) => ({ contactId, seq: String(seq) }))
}

/** An answer that is owed to nothing is not given. */
async function settle(tx: Tx, accountId: AccountId, contactIds: ContactId[]): Promise<void> {
  await settleConversations(tx, accountId, contactIds)
  for (const contactId of await findTurnsWithoutMessages(tx, accountId, contactIds)) {
    await dropTurn(tx, { accountId, contactId })
  }
}
