/** A person writes first: to a contact without a conversation, or by a channel that does not know them yet. */

import { attachPhone } from '../../people/contacts/addresses/phone-address-store.ts'
import { nameOf } from '../../people/contacts/change.ts'
import { findById } from '../../people/contacts/store.ts'
import type { Tx } from '../../platform/database/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findChannel } from '../channels/store.ts'
import { writesFirst } from '../channels/writes-first.ts'
import type { ReplyBy } from '../messages/reply.ts'
import { type ConversationRef, insertConversation } from './conversation-store.ts'

/**
 * Makes what a reply by the way that was chosen needs: an address on its channel, where that may be their phone number, and a
 * conversation. For a transaction that has locked the contact, before it locks the conversation; it undoes this where the reply is
 * refused.
 */
export async function prepareToWrite(tx: Tx, ref: ConversationRef, by: ReplyBy): Promise<void> {
  if (by !== 'custom') {
    const channel = await findChannel(tx, { accountId: ref.accountId, id: by })
    if (channel && channel.state !== 'removed' && (await writesFirst(channel.kind))) {
      await requireNumber(tx, { ...ref, channelId: by })
    }
  }
  await insertConversation(tx, ref)
}

async function requireNumber(tx: Tx, ref: Parameters<typeof attachPhone>[1]): Promise<void> {
  const attached = await attachPhone(tx, ref)
  if (attached === 'no phone') {
    throw new Refusal('CONFLICT', 'They have no phone number to write to; add it to the contact first.')
  }
  if (!('takenBy' in attached)) return
  const holder = await findById(tx, ref.accountId, attached.takenBy)
  throw new Refusal('CONFLICT', `${holder ? nameOf(holder) : 'Another contact'} has this phone number on this channel.`)
}
