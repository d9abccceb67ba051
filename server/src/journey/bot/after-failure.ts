import { noteTrouble } from '../../answers/campaigns/store.ts'
import { EngineBusy, EngineError } from '../../answers/engines/common/engine.ts'
import { requestRechargeWhenShort } from '../../business/credits/recharge.ts'
import { releaseHold, unitsOfPrice } from '../../business/credits/spend.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import { changeConversation, lockConversation } from '../conversations/conversation-store.ts'
import { lockTurn, parkTurn, postponeTurn, type Turn } from '../conversations/turn-store.ts'
import type { BotCtx } from './ctx.ts'
import type { Decision } from './decide/decide-who-answers.ts'
import type { TurnResult } from './finish.ts'
import { type Price, Unpaid } from './metered.ts'
import { handOver } from './respond.ts'
import type { Interruption } from './turns/heartbeat.ts'

/** The backoff after each failed attempt. After the last attempt the conversation is handed over to a person. */
const retrySeconds = [2, 8]
export const mostAttempts = retrySeconds.length + 1

/** The backoff after this attempt; undefined: it was the last. */
export function backoffSeconds({ attempts }: Turn): number | undefined {
  return retrySeconds[attempts - 1]
}

type FailedTurn = { turn: Turn; decision: Extract<Decision, { act: 'answer' }>; signal: AbortSignal; error: unknown }

/** The engine gave no answer. Undefined: the turn has been postponed. An error that is not the engine's is rethrown. */
export async function afterFailure(
  { db, log, wakeDelivery, backOffAccount, instruments }: BotCtx,
  { turn, decision, signal, error }: FailedTurn,
): Promise<TurnResult | undefined> {
  const { campaign, routing, assigns } = decision
  const { accountId, contactId, attempts } = turn
  if (signal.aborted) return afterInterruption(db, turn, signal.reason)
  if (error instanceof Unpaid) {
    if (error.short && (await park(db, turn, { decision, price: error.short }))) wakeDelivery()
    return undefined
  }
  if (error instanceof EngineBusy) {
    instruments.engineFailures.add('busy')
    backOffAccount(accountId, error)
    await postponeTurn(db, turn, { seconds: error.retryAfterSeconds, attempts: attempts - 1 })
    return undefined
  }
  if (!(error instanceof EngineError)) throw error
  instruments.engineFailures.add('error')
  const failure = { accountId, contactId, campaignId: campaign.id, reason: error.message, attempts }
  log.warn(failure, 'the bot could not answer')
  await noteTrouble(db, campaign, error.message)
  const seconds = backoffSeconds(turn)
  if (error.isFinal || seconds === undefined) {
    return { campaign, routing, assigns, ...handOver(campaign.settings.handoverText, 'engine_error') }
  }
  await postponeTurn(db, turn, { seconds, attempts })
  return undefined
}

type Parked = { decision: FailedTurn['decision']; price: Price }

/**
 * Parks the turn until there are credits, or until the answer would be stale; the conversation shows why it waits.
 * True: a recharge was requested.
 */
async function park(db: Db, turn: Turn, parked: Parked): Promise<boolean> {
  return withLockTimeout(db, (tx) => parkWithin(tx, turn, parked))
}

async function parkWithin(tx: Tx, turn: Turn, { decision, price: { price, forMessage } }: Parked): Promise<boolean> {
  const { campaign, fresh } = decision
  const age = fresh[0]?.secondsAgo ?? 0
  const units = unitsOfPrice(price) + forMessage
  await changeConversation(tx, turn, { waiting: 'no_credits' })
  await parkTurn(tx, turn, { units, seconds: campaign.settings.staleAfterSeconds - age + 1 })
  return requestRechargeWhenShort(tx, turn.accountId)
}

/**
 * The answer was made, and meanwhile its message has come to cost more than what was held and is left: another price, or another
 * channel. It waits as one does for which nothing could be held, and holds nothing, so that the next attempt holds what it costs then.
 */
export async function afterUnpaid({ db, wakeDelivery }: BotCtx, turn: Turn, parked: Parked): Promise<void> {
  const isRequested = await withLockTimeout(db, async (tx) => {
    await lockConversation(tx, turn)
    if (!(await lockTurn(tx, turn))) return false
    const isRequested = await parkWithin(tx, turn, parked)
    await releaseHold(tx, turn)
    return isRequested
  })
  if (isRequested) wakeDelivery()
}

async function afterInterruption(db: Db, turn: Turn, interruption: Interruption): Promise<undefined> {
  if (interruption === 'newer message') await postponeTurn(db, turn, { seconds: 0, attempts: 0, isSuperseded: true })
  if (interruption === 'stopping') await postponeTurn(db, turn, { seconds: 0, attempts: turn.attempts - 1 })
}
