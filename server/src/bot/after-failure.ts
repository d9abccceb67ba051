import { noteTrouble } from '../campaigns/store.ts'
import { oweRechargeWhenShort } from '../credits/recharge.ts'
import { unitsOfPrice } from '../credits/spend.ts'
import { EngineBusy, EngineError } from '../engines/common/engine.ts'
import { withBriefLocks } from '../platform/database/brief-locks.ts'
import type { Db } from '../platform/database/db.ts'
import { changeConversation } from './conversation/conversation-store.ts'
import type { BotCtx } from './ctx.ts'
import type { Decision } from './decide/decide-who-answers.ts'
import { handOver } from './hand-over.ts'
import { Unpaid } from './metered.ts'
import type { Settlement } from './settle.ts'
import type { Interruption } from './turns/heartbeat.ts'
import { parkTurn, postponeTurn, type Turn } from './turns/turn-store.ts'

/** Waits after an attempt that failed. After the last attempt a person is called. */
const retrySeconds = [2, 8]
export const mostAttempts = retrySeconds.length + 1

/** How long to wait after this attempt; undefined: it was the last. */
export function secondsAfter({ attempts }: Turn): number | undefined {
  return retrySeconds[attempts - 1]
}

type Failed = { turn: Turn; decision: Extract<Decision, { act: 'answer' }>; signal: AbortSignal; error: unknown }

/** An engine gave no answer. Undefined: the turn has been put off. What is not the engine's failure is thrown again. */
export async function afterFailure(
  { db, log, wakeDelivery, pause }: BotCtx,
  { turn, decision, signal, error }: Failed,
): Promise<Settlement | undefined> {
  const { campaign, routing, assigns } = decision
  const { accountId, contactId, attempts } = turn
  if (signal.aborted) return afterInterruption(db, turn, signal.reason)
  if (error instanceof Unpaid) {
    if (error.isShort && (await park(db, turn, decision))) wakeDelivery()
    return undefined
  }
  if (error instanceof EngineBusy) {
    pause(accountId, error)
    await postponeTurn(db, turn, { seconds: error.retryAfterSeconds, attempts: attempts - 1 })
    return undefined
  }
  if (!(error instanceof EngineError)) throw error
  log.warn(
    { accountId, contactId, campaignId: campaign.id, reason: error.message, attempts },
    'the bot could not answer',
  )
  await noteTrouble(db, campaign, error.message)
  const seconds = secondsAfter(turn)
  if (error.isFinal || seconds === undefined) {
    return { campaign, routing, assigns, ...handOver(campaign.settings.handoverText, 'engine_error') }
  }
  await postponeTurn(db, turn, { seconds, attempts })
  return undefined
}

/**
 * Waits for credits as long as the answer would not be stale; whoever looks at the conversation sees why. True: a
 * recharge was asked for.
 */
async function park(db: Db, turn: Turn, { campaign: { settings }, fresh }: Failed['decision']): Promise<boolean> {
  const age = fresh[0]?.secondsAgo ?? 0
  const units = unitsOfPrice(settings.creditsPerReply)
  return withBriefLocks(db, async (tx) => {
    await changeConversation(tx, turn, { waiting: 'no_credits' })
    await parkTurn(tx, turn, { units, seconds: settings.staleAfterSeconds - age + 1 })
    return oweRechargeWhenShort(tx, turn.accountId)
  })
}

async function afterInterruption(db: Db, turn: Turn, why: Interruption): Promise<undefined> {
  if (why === 'newer message') await postponeTurn(db, turn, { seconds: 0, attempts: 0, isSuperseded: true })
  if (why === 'stopping') await postponeTurn(db, turn, { seconds: 0, attempts: turn.attempts - 1 })
}
