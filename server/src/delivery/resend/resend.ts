import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { dueAgain, failedDueAgain, findDelivery } from './resend-store.ts'

/**
 * Makes a message, or an event that is none, due now that has failed, or even arrived: one attempt more, under the same
 * id.
 */
export async function resendOne(db: Db, accountId: AccountId, messageId: string): Promise<void> {
  const isOne = isId('msg', messageId) || isId('evt', messageId)
  if (isOne && (await dueAgain(db, accountId, messageId))) return
  const found = await findDelivery(db, accountId, messageId)
  if (!found) throw new Refusal('NOT_FOUND', `There is no outgoing message ${messageId}.`)
  throw new Refusal('INVALID_REQUEST', 'The message is being sent at this moment; see what becomes of it first.')
}

const longestDays = 14

/** Makes everything due that has failed since then; tells how many. */
export async function resendFailed(db: Db, accountId: AccountId, since: string): Promise<number> {
  const from = new Date(since)
  if (Number.isNaN(from.getTime())) {
    throw new Refusal('INVALID_REQUEST', '--since must be a time, such as 2026-01-31T08:00Z.')
  }
  if (from.getTime() < Date.now() - longestDays * 86_400_000) {
    throw new Refusal('INVALID_REQUEST', `--since must be within the last ${longestDays} days.`)
  }
  return failedDueAgain(db, accountId, from)
}
