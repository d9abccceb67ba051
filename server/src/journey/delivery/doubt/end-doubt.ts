import type { Db, Tx } from '../../../platform/database/db.ts'
import { type AccountId, type ContactId, isId, type MessageId, type UserId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { whyNotAgain } from '../resend/resend.ts'
import { makeDue } from '../resend/resend-store.ts'
import {
  acceptDoubtful,
  askAgain,
  endDoubts,
  endWaitingForDoubts,
  findInConversation,
  lockDelivery,
  sendRest,
  settleArrived,
} from './doubt-store.ts'

/** A message of one conversation, as a request names it. */
type Named = { accountId: AccountId; contactId: ContactId; messageId: string }

/**
 * Somebody says of a message that nobody knew it of that it arrived. What never left of it follows; a message of which nothing is
 * left is Sent. Said twice, or of one that was sent meanwhile, it changes nothing.
 */
export async function sayArrived(db: Db, named: Named, userId: UserId): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const ref = await requireMessage(tx, named)
    const delivery = await lockDelivery(tx, ref)
    if (!delivery || delivery.isSent) return
    if (!delivery.isLeftToPeople) {
      throw new Refusal('CONFLICT', 'It is not for people to say whether this message arrived: see what becomes of it.')
    }
    const isAll = await acceptDoubtful(tx, ref, userId)
    await (isAll ? settleArrived(tx, ref) : sendRest(tx, ref))
    await endWaitingForDoubts(tx, named)
  })
}

/** Somebody says that it is fine if a message arrived twice. Nobody is told of it any more. */
export async function sayFine(db: Db, named: Named, userId: UserId): Promise<void> {
  const ref = await requireMessage(db, named)
  await endDoubts(db, ref, userId)
}

/** Somebody wants a message that has not arrived, or may not have, to leave again. Whoever asks knows that it may arrive twice. */
export async function sendAgain(db: Db, named: Named, userId: UserId): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const ref = await requireMessage(tx, named)
    const delivery = await lockDelivery(tx, ref)
    if (delivery?.isLeftToPeople) {
      await endDoubts(tx, ref, userId)
      await askAgain(tx, ref)
      await endWaitingForDoubts(tx, named)
    } else if (!(await makeDue(tx, ref.accountId, ref.messageId))) {
      throw await whyNotAgain(tx, ref.accountId, ref.messageId)
    }
  })
}

async function requireMessage(
  db: Db | Tx,
  { accountId, contactId, messageId }: Named,
): Promise<{ accountId: AccountId; messageId: MessageId }> {
  const ref = isId('msg', messageId) ? { accountId, messageId } : undefined
  if (ref && (await findInConversation(db, { ...ref, contactId }))) return ref
  throw new Refusal('NOT_FOUND', `There is no outgoing message ${messageId} in this conversation.`)
}
