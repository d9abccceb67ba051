import { noteTrouble } from '../../answers/campaigns/store.ts'
import { EngineBusy, EngineError } from '../../answers/engines/common/engine.ts'
import { requestRechargeWhenShort } from '../../business/credits/recharge.ts'
import { unitsOfPrice } from '../../business/credits/spend.ts'
import type { Db } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import { changeConversation } from '../conversations/conversation-store.ts'
import { parkTurn, postponeTurn, type Turn } from '../conversations/turn-store.ts'
import type { BotCtx } from './ctx.ts'
import type { Decision } from './decide/decide-who-answers.ts'
import type { TurnResult } from './finish.ts'
import { Unpaid } from './metered.ts'
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
    if (error.isShort && (await park(db, turn, decision))) wakeDelivery()
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

/**
 * Parks the turn until there are credits, or until the answer would be stale; the conversation shows why it waits.
 * True: a recharge was requested.
 */
async function park(db: Db, turn: Turn, { campaign: { settings }, fresh }: FailedTurn['decision']): Promise<boolean> {
  const age = fresh[0]?.secondsAgo ?? 0
  const units = unitsOfPrice(settings.creditsPerReply)
  return withLockTimeout(db, async (tx) => {
    await changeConversation(tx, turn, { waiting: 'no_credits' })
    await parkTurn(tx, turn, { units, seconds: settings.staleAfterSeconds - age + 1 })
    return requestRechargeWhenShort(tx, turn.accountId)
  })
}

async function afterInterruption(db: Db, turn: Turn, interruption: Interruption): Promise<undefined> {
  if (interruption === 'newer message') await postponeTurn(db, turn, { seconds: 0, attempts: 0, isSuperseded: true })
  if (interruption === 'stopping') await postponeTurn(db, turn, { seconds: 0, attempts: turn.attempts - 1 })
}
