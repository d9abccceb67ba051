import { limits } from '@patchbay/contract/limits.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { type AccountId, newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Account } from '../accounts/store.ts'
import { creditsOf, type DecimalText, readAmount, unitsOf } from './amount.ts'
import { enqueueRechargeRequest, noteShortage, saveRecharge } from './recharge-store.ts'

/**
 * Configures recharge requests. The agency gets one, as an event, when a charge leaves less than the threshold, and the
 * next only after the balance has been at the threshold or above. It also gets one when an answer waits that the
 * balance does not cover. Threshold 0 switches them off. A request grants nothing.
 */
export async function setRecharge(
  db: Db,
  account: Account,
  { threshold, amount }: { threshold: number | DecimalText; amount: number | DecimalText },
): Promise<void> {
  if (account.kind !== 'subaccount') {
    throw new Refusal('INVALID_REQUEST', 'Only a sub-account has credits, and this account is none.')
  }
  const below = unitsOf(threshold)
  if (below === undefined || creditsOf(below) > limits.grantCredits) {
    throw new Refusal(
      'INVALID_AMOUNT',
      `threshold must be 0 or more and at most ${limits.grantCredits}, with at most 4 decimals.`,
    )
  }
  const recharge = { threshold: below, amount: readAmount(amount) }
  await saveRecharge(db, account.id, below === 0n ? undefined : recharge)
}

/**
 * Writes a recharge request, if they are configured, in the transaction that parks an answer which the balance does not
 * cover, or finds that it does not cover a message of so many `units`. At most one request for each version of the balance.
 * True: wake the delivery after the commit.
 */
export async function requestRechargeWhenShort(tx: Tx, accountId: AccountId, units?: bigint): Promise<boolean> {
  if (!(await noteShortage(tx, accountId, units))) return false
  await enqueueRechargeRequest(tx, accountId, newId('evt'))
  return true
}
