import { allSettings } from '../campaigns/settings.ts'
import { listCampaigns, noteTrouble } from '../campaigns/store.ts'
import { recognizeOptOut } from '../contacts/opt-out.ts'
import type { Answer } from '../engines/common/engine.ts'
import { readUnanswered, vectorOfQuestion } from '../knowledge/unanswered/unanswered.ts'
import type { Aside } from '../work/loop.ts'
import { afterCrash } from './after-crash.ts'
import { afterFailure, mostAttempts } from './after-failure.ts'
import { dropTurn } from './conversation/drop-turn.ts'
import type { BotCtx } from './ctx.ts'
import { readConversation, readMessages, readSpent } from './decide/context-store.ts'
import { type Decision, decide, rest, type TurnContext } from './decide/decide-who-answers.ts'
import { inputOf } from './decide/input.ts'
import { handOver } from './hand-over.ts'
import { metered } from './metered.ts'
import { respond } from './respond.ts'
import { type Settlement, settle } from './settle.ts'
import type { Turn } from './turns/turn-store.ts'

/**
 * Answers one turn to its end: decides, thinks, and settles. Whatever happens in between, the row of the turn stays
 * until it is settled, so another process can take it up. Every failure counts as an attempt, whatever its kind: a turn
 * that can never be settled is not tried for ever.
 */
export async function answerTurn(ctx: BotCtx, turn: Turn, { signal, aside }: Means): Promise<void> {
  let known: { context: TurnContext; decision: Decision } | undefined
  try {
    const context = await readTurnContext(ctx, turn)
    if (!context) return void (await ctx.db.transaction().execute((tx) => dropTurn(tx, turn))) // the contact was erased
    const decision = decide(context)
    known = { context, decision }
    const settlement =
      decision.act === 'answer' ? await answer(ctx, { context, decision, signal, aside }) : withoutEngine(decision)
    if (settlement)
      await settle(ctx, turn, { ...settlement, heard: decision.heard, conversation: context.conversation })
  } catch (error) {
    await afterCrash(ctx, { turn, known, error })
  }
}

async function readTurnContext({ db, secretKey }: BotCtx, turn: Turn): Promise<TurnContext | undefined> {
  const [conversation, messages, campaigns] = await Promise.all([
    readConversation(db, turn),
    readMessages(db, turn),
    listCampaigns(db, turn.accountId),
  ])
  if (!conversation) return undefined
  conversation.isOptedOut ||= await recognizeOptOut(db, secretKey, turn)
  const read = campaigns.map((row) => ({ ...row, settings: allSettings(row.settings) }))
  return { turn, conversation, messages, campaigns: read }
}

type Means = { signal: AbortSignal; aside: Aside }
type Thinking = Means & { context: TurnContext; decision: Extract<Decision, { act: 'answer' }> }

/**
 * A turn that was begun so often and never ended may be what ends the process that works on it: no engine is asked any
 * more.
 */
async function answer(ctx: BotCtx, thinking: Thinking): Promise<Settlement | undefined> {
  const { turn } = thinking.context
  if (turn.attempts <= mostAttempts) return think(ctx, thinking)
  const { campaign, routing, assigns } = thinking.decision
  const { accountId, contactId, attempts } = turn
  ctx.log.error({ accountId, contactId, attempts }, 'an answer was begun too often and never ended')
  return { campaign, routing, assigns, ...handOver(campaign.settings.handoverText, 'engine_error') }
}

function withoutEngine(decision: Exclude<Decision, { act: 'answer' }>): Settlement {
  const { campaign, routing, assigns, reason } = decision
  const routed = { campaign, routing, assigns }
  if (decision.act === 'skip') return { ...routed, outcome: 'skipped', reason, text: null, waiting: decision.waiting }
  return { ...routed, ...handOver(decision.text, reason) }
}

/** Undefined: not now; the turn has been put off. */
async function think(ctx: BotCtx, { context, decision, signal, aside }: Thinking): Promise<Settlement | undefined> {
  const { turn, conversation, messages } = context
  const { campaign, routing, assigns, fresh, resumes } = decision
  const { id: campaignId, settings } = campaign
  const price = settings.creditsPerReply
  const { maxRepliesPerConversationPerDay: perConversation, maxRepliesPerDay: perCampaign } = settings
  const spent = await readSpent(ctx.db, turn, { campaignId, perConversation, perCampaign })
  const tired = rest(spent)
  const routed = { campaign, routing, assigns }
  if (tired) return { ...routed, outcome: 'skipped', reason: tired, text: null, waiting: tired }

  const input = inputOf(campaign, { conversation, messages, fresh })
  const startedAt = performance.now()
  try {
    const { answer, handler } = await respond(
      metered(ctx.engines.of(campaign), ctx.db, { ...turn, price, aside }),
      input,
      signal,
    )
    const durationMs = Math.round(performance.now() - startedAt)
    // Before the answer is settled: whoever has the answer does not read of a trouble that is over.
    if (campaign.trouble && answer.engine !== 'rule') await noteTrouble(ctx.db, campaign, null)
    const state = await stateAfter(ctx, context, { answer, campaign, question: input.text })
    const waiting = handler?.handler === 'person' ? handler.reason : state.waiting
    const said = { reason: answer.reason, text: answer.text, by: answer, durationMs, isCharged: isCharged(answer) }
    return {
      ...routed,
      outcome: outcomes[answer.kind],
      ...said,
      ...state,
      waiting,
      resumes,
      ...(handler && { handler }),
    }
  } catch (error) {
    return afterFailure(ctx, { turn, decision, signal, error })
  }
}

/** What the bot found out is paid for; to be greeted, thanked or told that nobody knows is free. */
function isCharged({ kind, reason }: Answer): boolean {
  return kind === 'offer' || (kind === 'answer' && reason !== 'greeting' && reason !== 'thanks')
}

const outcomes = {
  answer: 'answered',
  offer: 'offered',
  fallback: 'fell back',
  handover: 'handed over',
  silent: 'silent',
} as const

type Said = { answer: Answer; campaign: Thinking['decision']['campaign']; question: string }

/** What is remembered of an answer: what it offered, what it missed, and when that was once too often. */
async function stateAfter(
  { db, embedder }: BotCtx,
  { conversation }: TurnContext,
  { answer, campaign, question }: Said,
) {
  const isMiss = answer.kind === 'fallback'
  const misses = isMiss ? conversation.misses + 1 : 0
  const isUnanswered = isMiss || answer.kind === 'offer'
  const waiting = misses >= campaign.settings.maxMisses ? 'misses' : null
  const said = { misses, offered: answer.offered }
  if (!isUnanswered) return { said, waiting }
  // A campaign that was taught something has woken the model by its question; for a list alone it may sleep on.
  const vector = embedder.state() === 'asleep' ? null : await vectorOfQuestion(embedder, question)
  const ref = { accountId: campaign.accountId, campaignId: campaign.id }
  return { said, waiting, unanswered: await readUnanswered(db, ref, question, vector) }
}
