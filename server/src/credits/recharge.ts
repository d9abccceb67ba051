import { limits } from '@patchbay/contract/limits.ts'
import type { Account } from '../accounts/store.ts'
import type { Db } from '../platform/db.ts'
import { Refusal } from '../platform/refusal.ts'
import { readAmount, unitsOf } from './amount.ts'
import { saveRecharge } from './recharge-store.ts'

/**
 * Has the agency asked for a recharge, by an event, whenever a charge leaves less than the threshold: once, and again
 * only after the balance has been at the threshold or above. At threshold 0 it is switched off. Nothing is granted by
 * itself.
 */
export async function setRecharge(
  db: Db,
  account: Account,
  { threshold, amount }: { threshold: number; amount: number },
): Promise<void> {
  if (account.kind !== 'subaccount') {
    throw new Refusal('INVALID_REQUEST', 'Only a sub-account has credits, and this account is none.')
  }
  const below = unitsOf(threshold)
  if (below === undefined || threshold > limits.grantCredits) {
    throw new Refusal(
      'INVALID_AMOUNT',
      `threshold must be 0 or more and at most ${limits.grantCredits}, with at most 4 decimals.`,
    )
  }
  const recharge = { threshold: below, amount: readAmount(amount) }
  await saveRecharge(db, account.id, below === 0n ? undefined : recharge)
}
