import type { Db, Tx } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import { newId } from '../../platform/ids.ts'
import { creditsOf, unitsOf } from './amount.ts'
import { type HoldOutcome, removeHold, type Turn, writeCharge, writeHold } from './hold-store.ts'
import { enqueueRechargeRequest, noteShortage } from './recharge-store.ts'

/**
 * Holds credits for an answer before the engine is called, so that concurrent answers cannot spend the same credits. A
 * retried answer keeps its hold, whatever the price is now. Only sub-accounts are metered; for others, and at price 0,
 * it is free. An answer that is no longer owed is `gone`: its row in `turns` is read under a lock that incoming
 * messages need too, so this does not wait for a locked balance while it has that lock. `price` is in credits, from the
 * settings of its campaign.
 */
export async function holdPrice(db: Db, { price, ...turn }: Turn & { price: number }): Promise<HoldOutcome> {
  const units = unitsOfPrice(price)
  if (units === 0n) return 'free'
  // 23505: another process wrote the hold for this answer at the same moment; a retry finds it.
  return withLockTimeout(db, (tx) => writeHold(tx, turn, units), { retryStates: ['23505'] })
}

/** `balance` is that after the charge. */
export type Charge = { charged: number; balance: number }

/**
 * Charges the hold for an answer, in the transaction that writes the answer: there is no charge without an answer, and
 * none twice. Undefined: there was no hold, so the answer is free.
 */
export async function chargeHold(
  tx: Tx,
  { accountId, contactId, fromSeq }: Turn,
  description = 'Answer of the bot',
): Promise<Charge | undefined> {
  const usage = { accountId, contactId, fromSeq, entryId: newId('led'), description, actor: 'bot' }
  const charged = await writeCharge(tx, usage)
  if (!charged) return undefined
  // A separate statement: planning it as part of the charge would cost every charge more than the charge itself.
  const isRequested = charged.requestsRecharge || (charged.mayBeShort && (await noteShortage(tx, accountId)))
  if (isRequested) await enqueueRechargeRequest(tx, accountId, newId('evt'))
  return { charged: creditsOf(charged.amount), balance: creditsOf(charged.balanceAfter) }
}

/** Releases the hold for an answer, in the transaction that gives it up or finds it free. False: there was no hold. */
export async function releaseHold(tx: Tx, { accountId, contactId, fromSeq }: Turn): Promise<boolean> {
  return removeHold(tx, { accountId, contactId, fromSeq })
}

/** Throws on a price that the check of the campaign's settings would have refused. */
export function unitsOfPrice(price: number): bigint {
  const units = unitsOf(price)
  if (units === undefined) throw new Error(`${price} is not a price`)
  return units
}
