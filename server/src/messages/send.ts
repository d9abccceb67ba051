import type { ReplyEvent } from '@patchbay/contract/messages.ts'
import { oweReply } from '../outbox/store.ts'
import type { Tx } from '../platform/db.ts'
import { type AccountId, type ContactId, type MessageId, newId } from '../platform/ids.ts'
import { firstStatus } from './status.ts'
import { findOwner, insertOutgoing, takePlace } from './store.ts'

export type Outgoing = {
  accountId: AccountId
  contactId: ContactId
  /** The contact's id on the external platform. */
  toId: string
  author: 'bot' | 'person' | 'api'
  body: string
  channel?: string | undefined
  campaignId?: string | undefined
}

/**
 * The only way out. Keeps the message and the event that must carry it to the other side, in one transaction: there is
 * no message that nobody will deliver, and no delivery of a message that was never kept.
 */
export async function send(tx: Tx, outgoing: Outgoing): Promise<MessageId> {
  const { accountId, contactId, toId, author, body, campaignId } = outgoing
  const id = newId('msg')
  const userId = await findOwner(tx, accountId)
  const { seq, outgoingSeq, channel } = await takePlace(tx, { accountId, contactId }, outgoing)
  const place = { seq, outgoingSeq, channel, campaignId: campaignId ?? null }
  await insertOutgoing(tx, { accountId, id, contactId, author, status: firstStatus, body, ...place })
  const event: ReplyEvent = { contactId, messageId: id, userId, body, toId, channel }
  await oweReply(tx, { accountId, contactId, messageId: id, outgoingSeq, payload: JSON.stringify(event) })
  return id
}
