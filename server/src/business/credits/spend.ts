import type { Db, Tx } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import { type AccountId, type ContactId, newId, type UserId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { creditsOf, unitsOf } from './amount.ts'
import { type HoldOutcome, removeHold, type Turn, writeHold } from './hold-store.ts'
import { enqueueRechargeRequest, noteShortage } from './recharge-store.ts'
import { type UsageRow, writeUsage } from './usage-store.ts'

/**
 * Holds credits for an answer before the engine is called, so that concurrent answers cannot spend the same credits. A
 * retried answer keeps its hold, whatever the price is now. Only sub-accounts are metered; for others, and at price 0,
 * it is free. An answer that is no longer owed is `gone`: its row in `turns` is read under a lock that incoming
 * messages need too, so this does not wait for a locked balance while it has that lock. `price` is in credits, from the
 * settings of its campaign; `forMessage`, in units, is what the message with the answer costs besides.
 */
export async function holdPrice(
  db: Db,
  { price, forMessage = 0n, ...turn }: Turn & { price: number; forMessage?: bigint },
): Promise<HoldOutcome> {
  const held = { amount: unitsOfPrice(price) + forMessage, forMessage }
  if (held.amount === 0n) return 'free'
  // 23505: another process wrote the hold for this answer at the same moment; a retry finds it.
  return withLockTimeout(db, (tx) => writeHold(tx, turn, held), { retryStates: ['23505'] })
}

/** `balance` is that after the charge. */
export type Charge = { charged: number; balance: number }

/** What stands in the history for an answer. */
export const ofAnAnswer = 'Answer of the bot'

/** A message that costs something, to be paid for by whoever makes it, in the transaction that does. */
export type MessageCost = {
  contactId: ContactId
  /** Its number in the conversation: no answer has the same, since an answer is known by the first message that it answers. */
  seq: string
  units: bigint
  /** Stands in the history. */
  description: string
  actor: 'bot' | 'api' | 'operator' | UserId
}

/** The balance does not cover what was made, so all of it has to be undone. */
export class NotEnoughCredits extends Refusal {
  /** What the first of the messages costs. */
  readonly units: bigint

  constructor([message]: MessageCost[]) {
    const units = message?.units ?? 0n
    const cost = units > 0n ? `: a message costs ${creditsOf(units)}` : ''
    super('CONFLICT', `There are not enough credits${cost}. Ask your agency for more.`)
    this.units = units
  }
}

/**
 * Ends the hold for an answer, in the transaction that writes the answer: there is no charge without an answer, and none twice. The
 * answer is charged what was held for it, unless it is free, and the message what it costs now. Undefined: nothing was charged.
 */
export async function chargeHold(
  tx: Tx,
  { accountId, contactId, fromSeq }: Turn,
  { isCharged = true, message }: { isCharged?: boolean; message?: MessageCost | undefined } = {},
): Promise<Charge | undefined> {
  const answer = { contactId, fromSeq, entryId: newId('led'), description: ofAnAnswer, isCharged }
  return use(tx, { accountId, answer, messages: message ? [message] : [] })
}

/**
 * Charges for messages that a person or a broadcast has made, in the transaction that makes them, and as its last lock: for all of them
 * or, with `NotEnoughCredits`, for none.
 */
export async function chargeMessages(tx: Tx, accountId: AccountId, messages: MessageCost[]): Promise<void> {
  if (messages.length > 0) await use(tx, { accountId, answer: undefined, messages })
}

type Use = Pick<UsageRow, 'accountId' | 'answer'> & { messages: MessageCost[] }

async function use(tx: Tx, { accountId, answer, messages }: Use): Promise<Charge | undefined> {
  const rows = messages.map(({ units, ...message }) => ({ ...message, units: String(units), entryId: newId('led') }))
  const used = await writeUsage(tx, { accountId, answer, messages: rows })
  if (used.isShort) throw new NotEnoughCredits(messages)
  if (used.balanceAfter === null) return undefined
  // A separate statement: planning it as part of the charge would cost every charge more than the charge itself.
  const isRequested = used.requestsRecharge || (used.mayBeShort && (await noteShortage(tx, accountId)))
  if (isRequested) await enqueueRechargeRequest(tx, accountId, newId('evt'))
  return { charged: creditsOf(used.amount), balance: creditsOf(used.balanceAfter) }
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
