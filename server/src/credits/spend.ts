import type { Db, Tx } from '../platform/database/db.ts'
import { withLockTimeout } from '../platform/database/lock-timeout.ts'
import { type AccountId, newId } from '../platform/ids.ts'
import { creditsOf, unitsOf } from './amount.ts'
import { chargeHold, type HoldOutcome, removeHold, type Turn, writeHold } from './hold-store.ts'
import { noteShortage, oweRechargeRequest } from './recharge-store.ts'

/** `fromSeq` is the first message that the answer answers; together with the conversation it names the answer. */
export type Priced = Turn & {
  /** In credits, as its campaign has it. */
  price: number
}

/**
 * Sets credits aside for an answer before anybody is paid to make it, so that many answers at once cannot promise the
 * same credits. An answer that is tried again keeps what was held for it, whatever the price is now. Only sub-accounts
 * are metered; for others, and at price 0, it is free. The answer must be owed still, or it is `gone`: its row in
 * `turns` is read under a lock, which whoever takes a message in must get too, so a balance that somebody holds is not
 * waited for with that lock.
 */
export async function holdPrice(db: Db, { price, ...turn }: Priced): Promise<HoldOutcome> {
  const units = unitsOfPrice(price)
  if (units === 0n) return 'free'
  // 23505: two held for one answer at the same moment, and the other was first: by now its hold is there to be found.
  return withLockTimeout(db, (tx) => writeHold(tx, turn, units), { retryStates: ['23505'] })
}

/** `balance` is what the charge left. `rechargeRequestedFrom`: a recharge was asked of it; wake its delivery after the commit. */
export type Settled = { charged: number; balance: number; rechargeRequestedFrom: AccountId | undefined }

/**
 * Charges what was held for an answer, in the transaction that keeps the answer: there is no charge without an answer,
 * and none twice. Undefined: nothing was held, so the answer is free.
 */
export async function settleHold(
  tx: Tx,
  { accountId, contactId, fromSeq }: Turn,
  description = 'Answer of the bot',
): Promise<Settled | undefined> {
  const usage = { accountId, contactId, fromSeq, entryId: newId('led'), description, actor: 'bot' }
  const charged = await chargeHold(tx, usage)
  if (!charged) return undefined
  // By itself and not in the statement above: planning it would cost every charge more than the charge.
  const isAsked = charged.requestsRecharge || (charged.mayBeShort && (await noteShortage(tx, accountId)))
  const rechargeRequestedFrom = isAsked ? await oweRechargeRequest(tx, accountId, newId('evt')) : undefined
  return { charged: creditsOf(charged.amount), balance: creditsOf(charged.balanceAfter), rechargeRequestedFrom }
}

/**
 * Lets go what was held for an answer, in the transaction that gives it up or finds it to be free. False: nothing was
 * held.
 */
export async function releaseHold(tx: Tx, { accountId, contactId, fromSeq }: Turn): Promise<boolean> {
  return removeHold(tx, { accountId, contactId, fromSeq })
}

/** What an answer at this price takes; the settings of a campaign let no other number through. */
export function unitsOfPrice(price: number): bigint {
  const units = unitsOf(price)
  if (units === undefined) throw new Error(`${price} is not a price`)
  return units
}
