import { releaseHold } from '../../business/credits/spend.ts'
import type { Db } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import { changeConversation, lockConversation } from '../conversations/conversation-store.ts'
import { dropTurn } from '../conversations/drop-turn.ts'
import { endTurn, lockTurn, postponeTurn, type Turn } from '../conversations/turn-store.ts'
import { backoffSeconds } from './after-failure.ts'
import { insertAnswer } from './answer-store.ts'
import type { BotCtx } from './ctx.ts'
import type { Decision, TurnContext } from './decide/decide-who-answers.ts'
import { answerRow, finishTurn } from './finish.ts'
import { handOver } from './respond.ts'

type Crash = { turn: Turn; known: { context: TurnContext; decision: Decision } | undefined; error: unknown }

/** The wait between attempts to end a turn that could not be finished either; they call no engine. */
const lastResortSeconds = 60

/**
 * Handles an unexpected error. It counts as an attempt like any other failure, or the same engine would be called and
 * paid for the same answer until it is stale. After the last attempt the conversation is handed over to a person: with
 * the campaign's handover text, and if that cannot be stored, with as few writes as possible.
 */
export async function afterCrash(ctx: BotCtx, { turn, known, error }: Crash): Promise<void> {
  const { accountId, contactId, attempts } = turn
  ctx.instruments.engineFailures.add('crash')
  ctx.log.error({ err: error, accountId, contactId, attempts }, 'an answer failed in an unexpected way')
  const seconds = backoffSeconds(turn)
  if (seconds !== undefined) return postponeTurn(ctx.db, turn, { seconds, attempts })
  if (await handOverWithText(ctx, turn, known).catch(() => false)) return
  await giveUp(ctx.db, turn).catch(async (err) => {
    ctx.log.error({ err, accountId, contactId }, 'a failed turn could not be ended; trying again in a minute')
    await postponeTurn(ctx.db, turn, { seconds: lastResortSeconds, attempts })
  })
}

async function handOverWithText(ctx: BotCtx, turn: Turn, known: Crash['known']): Promise<boolean> {
  if (known?.decision.act !== 'answer') return false
  const { campaign, routing, assigns, consent } = known.decision
  const { conversation } = known.context
  const handover = handOver(campaign.settings.handoverText, 'engine_error')
  await finishTurn(ctx, turn, { campaign, routing, assigns, consent, conversation, ...handover })
  return true
}

async function giveUp(db: Db, turn: Turn): Promise<void> {
  const result = { campaign: undefined, routing: 'none' as const, assigns: false, ...handOver(null, 'engine_error') }
  await withLockTimeout(db, async (tx) => {
    const conversation = await lockConversation(tx, turn)
    const row = await lockTurn(tx, turn)
    if (!row) return
    if (!conversation) return dropTurn(tx, turn)
    await changeConversation(tx, turn, { handler: result.handler, waiting: result.waiting })
    await insertAnswer(tx, answerRow(turn, result, null))
    await releaseHold(tx, turn)
    await endTurn(tx, turn, row.lastSeq)
  })
}
