import type { Tx } from '../platform/db.ts'
import { type AccountId, type ContactId, type MessageId, newId } from '../platform/ids.ts'

export type OwedReply = {
  accountId: AccountId
  contactId: ContactId
  messageId: MessageId
  outgoingSeq: string
  /** The bytes that every attempt sends. */
  payload: string
}

/** Writes down that an event must leave, in the transaction of the message that it carries. */
export async function oweReply(tx: Tx, owed: OwedReply): Promise<void> {
  await tx
    .insertInto('deliveries')
    .values({ id: newId('dlv'), ...owed })
    .execute()
}
