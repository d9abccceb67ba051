import { makeUntriedDue } from '../../outbox/receiver-store.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { ChannelRef } from '../channels/store.ts'
import { changeConversation, lockConversation } from '../conversations/conversation-store.ts'
import { dropTurn } from '../conversations/drop-turn.ts'
import { endWaiting, findOwed } from './give-to-people-store.ts'

/**
 * What waited in a backup to be sent over a channel may have left after it was taken, and what was owed may have been answered:
 * nobody but a person can know. So it ends, and their conversations wait for somebody. What was said in this copy leaves.
 */
export async function giveToPeople(tx: Tx, channel: ChannelRef): Promise<void> {
  const { accountId } = channel
  const owed = await findOwed(tx, channel)
  const waiting = new Set([...owed, ...(await endWaiting(tx, channel))])
  for (const contactId of [...waiting].sort()) {
    const ref = { accountId, contactId }
    if (!(await lockConversation(tx, ref))) continue
    await changeConversation(tx, ref, { waiting: 'in_doubt' })
    if (owed.includes(contactId)) await dropTurn(tx, ref)
  }
  // What was said in this copy has waited for the word that it goes on.
  await makeUntriedDue(tx, { accountId, receiverId: channel.id })
}
