/* How an attempt over a channel ends, in the transaction that stores what came of it. */

import type { LeasedEvent } from '../../../../outbox/enqueue-events.ts'
import type { Tx } from '../../../../platform/database/db.ts'
import { changeConversation } from '../../../conversations/conversation-store.ts'
import { settleWithin } from '../../outcome/settle-store.ts'
import { type Attempt, notMade, type Settled, type SettlementOf } from '../transport.ts'
import { releaseFor, type Whole, writeAwaited, writeCalled } from './part-store.ts'

export type Tried = { event: LeasedEvent; attempt: Attempt; settlementOf: SettlementOf }

type Ending = {
  called?: string | undefined
  isInDoubt?: boolean | null
  /** The provider answered that it will not have this message: that is no reason to hold others back. */
  isRefused?: boolean
}

/** Ends the attempt by the rules of all transports. */
export async function settleAs(
  tx: Tx,
  { event, settlementOf }: Tried,
  attempt: Attempt,
  { called, isInDoubt = false, isRefused = false }: Ending = {},
): Promise<Settled> {
  if (attempt.status === 'Waits') throw new Error('what waits is not settled')
  const settlement = settlementOf(event, attempt)
  const settled = await settleWithin(tx, { ...settlement, isFailure: settlement.isFailure && !isRefused })
  await writeCalled(tx, event, { called, isInDoubt })
  return { ...settled, dueInSeconds: settlement.dueInSeconds }
}

/**
 * The provider has a part: by its answer, because it was asked, or by a receipt, which is stronger than what came of the request. What
 * is left of the message leaves next; of one that is Sent it is told later whether it arrived, if its kind `tells`.
 */
export async function settleTaken(
  tx: Tx,
  tried: Tried,
  whole: Whole,
  { called, tells }: { called?: string; tells: boolean },
): Promise<Settled> {
  const { event } = tried
  const { made } = tried.attempt
  if (whole.failed !== null) {
    const failed = { ...notMade('not_delivered', whole.failed), made }
    return settleAs(tx, tried, failed, { called, isRefused: true })
  }
  if (!whole.isAll) return release(tx, event, { seconds: 0, isInDoubt: false })
  const settled = await settleAs(tx, tried, { status: 'Sent', made }, { called })
  if (tells || whole.hasReceipts) await writeAwaited(tx, event, { tells })
  return settled
}

export async function release(
  tx: Tx,
  event: LeasedEvent,
  wait: { seconds: number; isInDoubt: boolean | null },
): Promise<Settled> {
  const isOurs = await releaseFor(tx, event, wait)
  return { isOurs, hasMore: isOurs, dueInSeconds: wait.seconds }
}

type Doubt = Pick<Ending, 'called' | 'isRefused'> & { isBroadcast: boolean }

/**
 * It ends as failed, and the conversation waits for somebody who decides. That of a broadcast does not: nobody there has asked for
 * anything, and it may be one of thousands.
 */
export async function giveUp(tx: Tx, tried: Tried, { isBroadcast, ...ending }: Doubt): Promise<Settled> {
  const { accountId, contactId } = tried.event
  if (contactId !== null && !isBroadcast) {
    await changeConversation(tx, { accountId, contactId }, { waiting: 'in_doubt' })
  }
  const { made } = tried.attempt
  const attempt = { ...notMade('in_doubt', 'It is not known whether it arrived.'), made }
  return settleAs(tx, tried, attempt, { ...ending, isInDoubt: true })
}
