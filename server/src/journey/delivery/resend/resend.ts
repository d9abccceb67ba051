import { isChannelId } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type AccountId, isId, type ReceiverId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { findDelivery, makeDue, makeFailedSinceDue } from './resend-store.ts'

/**
 * Makes a message or another event due now, whether it failed or arrived: one more attempt, under the same id. Those that
 * come by themselves are as if it had not been asked for.
 */
export async function resendOne(db: Db, accountId: AccountId, messageId: string): Promise<void> {
  const isEventId = isId('msg', messageId) || isId('evt', messageId)
  if (isEventId && (await makeDue(db, accountId, messageId))) return
  throw await whyNotAgain(db, accountId, messageId)
}

/** Why a message could not be made due. What has left over a built-in channel is with its reader, who would get it twice. */
export async function whyNotAgain(db: Db, accountId: AccountId, messageId: string): Promise<Refusal> {
  const found = await findDelivery(db, accountId, messageId)
  if (!found) return new Refusal('NOT_FOUND', `There is no outgoing message ${messageId}.`)
  if (found.sentAt && isChannelId(found.receiverId)) {
    return new Refusal('CONFLICT', 'It was sent over its channel already. To say it again, write it again.')
  }
  return new Refusal('INVALID_REQUEST', 'It is on its way at this moment; see what becomes of it first.')
}

/** How far back failed events can be sent again together. */
export const longestDays = 14

/** Makes all failed events due that were made since then, or only those of one receiver; returns how many. */
export async function resendFailed(
  db: Db,
  accountId: AccountId,
  since: string,
  receiverId?: ReceiverId,
): Promise<number> {
  const from = new Date(since)
  if (Number.isNaN(from.getTime())) {
    throw new Refusal('INVALID_REQUEST', '--since must be a time, such as 2026-01-31T08:00Z.')
  }
  if (from.getTime() < Date.now() - longestDays * 86_400_000) {
    throw new Refusal('INVALID_REQUEST', `--since must be within the last ${longestDays} days.`)
  }
  return makeFailedSinceDue(db, accountId, from, receiverId)
}
