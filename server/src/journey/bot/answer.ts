import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { noteTrouble } from '../../answers/campaigns/store.ts'
import { type Answer, EngineBusy, type TurnInput } from '../../answers/engines/common/engine.ts'
import { readUnanswered, vectorOfQuestion } from '../../answers/knowledge/unanswered/unanswered.ts'
import type { WithoutSlot } from '../../platform/jobs/loop.ts'
import { dropTurn } from '../conversations/drop-turn.ts'
import type { Turn } from '../conversations/turn-store.ts'
import { afterCrash } from './after-crash.ts'
import { afterFailure, afterUnpaid, mostAttempts } from './after-failure.ts'
import type { BotCtx } from './ctx.ts'
import { type Conversation, readReplyLimits } from './decide/context-store.ts'
import { type Decision, decide, isFileOnly, replyLimitReached, type TurnContext } from './decide/decide-who-answers.ts'
import { inputOf } from './decide/input.ts'
import { readTurnContext } from './decide/read-context.ts'
import type { Campaign } from './decide/route-to-campaign.ts'
import { finishTurn, type TurnResult } from './finish.ts'
import { metered, type Price, Unpaid } from './metered.ts'
import { type ModelPlace, noPlaceNeeded, takeModelPlace } from './model-place.ts'
import { handOver, isCharged, respond, respondByRule, sayPersonIsCalled } from './respond.ts'

/**
 * Answers one turn: decides who answers, generates the answer, and finishes it. The row of the turn stays until it is
 * finished, so another process can claim it after a crash. Every failure counts as an attempt, whatever its kind: a turn
 * that can never be finished is not retried for ever.
 */
export async function answerTurn(ctx: BotCtx, turn: Turn, { signal, withoutSlot }: RunOptions): Promise<void> {
  let known: { context: TurnContext; decision: Decision } | undefined
  try {
    const context = await readTurnContext(ctx, turn)
    if (!context) return void (await ctx.db.transaction().execute((tx) => dropTurn(tx, turn))) // the contact was erased
    const decision = decide(context)
    known = { context, decision }
    const result =
      decision.act === 'answer'
        ? await answer(ctx, { context, decision, signal, withoutSlot })
        : withoutEngine(decision)
    if (!result) return
    const { conversation } = context
    const ending = await finishTurn(ctx, turn, { ...result, consent: decision.consent, conversation })
    if (ending === 'unpaid' && decision.act === 'answer') {
      await afterUnpaid(ctx, turn, { decision, price: priceOf(context, decision.campaign) })
    }
  } catch (error) {
    await afterCrash(ctx, { turn, known, error })
  }
}

type RunOptions = { signal: AbortSignal; withoutSlot: WithoutSlot }
type Generation = RunOptions & { context: TurnContext; decision: Extract<Decision, { act: 'answer' }> }

/**
 * A turn that used up its attempts without an end may be what crashes the process that works on it: no engine is called
 * any more.
 */
async function answer(ctx: BotCtx, generation: Generation): Promise<TurnResult | undefined> {
  const { turn } = generation.context
  if (turn.attempts <= mostAttempts) return generate(ctx, generation)
  const { campaign, routing, assigns } = generation.decision
  const { accountId, contactId, attempts } = turn
  ctx.log.error(
    { accountId, contactId, attempts },
    'a turn used up its attempts without an end; handing it over to a person',
  )
  return { campaign, routing, assigns, ...handOver(campaign.settings.handoverText, 'engine_error') }
}

function withoutEngine(decision: Exclude<Decision, { act: 'answer' }>): TurnResult {
  const { campaign, routing, assigns, reason } = decision
  const routed = { campaign, routing, assigns }
  if (decision.act === 'skip') return { ...routed, outcome: 'skipped', reason, text: null, waiting: decision.waiting }
  return { ...routed, ...handOver(decision.text, reason) }
}

/** Returns undefined when the turn has been postponed. */
async function generate(ctx: BotCtx, generation: Generation): Promise<TurnResult | undefined> {
  const { context, decision } = generation
  const { campaign, routing, assigns, fresh } = decision
  const { id: campaignId, settings } = campaign
  const { maxRepliesPerConversationPerDay: perConversation, maxRepliesPerDay: perCampaign } = settings
  const caps = { campaignId, perConversation, perCampaign }
  const limit = replyLimitReached(await readReplyLimits(ctx.db, context.turn, caps))
  const leave = (reason: string): TurnResult => {
    return { campaign, routing, assigns, outcome: 'skipped', reason, text: null, waiting: reason }
  }
  if (limit) return leave(limit)
  const input = questionOf(context, decision)
  const isForModel = settings.engine !== 'builtin' && !respondByRule(input)
  const place = isForModel ? await takeModelPlace(ctx, context) : noPlaceNeeded
  if (place) return ask(ctx, { ...generation, input, place })
  if (fresh.every(isFileOnly)) return leave('file_only')
  const free = { ...decision, campaign: { ...campaign, settings: { ...settings, engine: 'builtin' as const } } }
  const asked = { ...generation, decision: free, input: questionOf(context, free), place: undefined }
  const answered = await ask(ctx, asked)
  return answered && leaveUnlessAnswered(answered)
}

const questionOf = ({ conversation, messages }: TurnContext, { campaign, fresh }: Generation['decision']) =>
  inputOf(campaign, { conversation, messages, fresh })

/** What the entries do not answer, a model might have: then a person has to, and nobody is left without a word or a helper. */
function leaveUnlessAnswered(result: TurnResult): TurnResult {
  const isAnswered = result.text !== null && result.outcome !== 'fell back'
  return isAnswered || result.handler ? result : { ...result, waiting: result.waiting ?? 'daily_limit' }
}

type Asked = Generation & { input: TurnInput; place: ModelPlace | undefined }

/** Without a place, the campaign is given with the built-in engine, whose answer then costs nothing. */
async function ask(ctx: BotCtx, asked: Asked): Promise<TurnResult | undefined> {
  const { context, decision, signal, withoutSlot, input, place } = asked
  const { turn, conversation } = context
  const { campaign, routing, assigns, resumes } = decision
  const { price, forMessage } = priceOf(context, campaign)
  using _typing = showTyping(ctx, context)
  const startedAt = performance.now()
  try {
    const engine = await ctx.engines.of(campaign)
    const paid = metered(engine, ctx.db, { ...turn, price: place ? price : 0, forMessage, withoutSlot })
    const { answer: given, handler } = await respond(paid, input, signal)
    const answer = callsPerson(conversation, given, campaign.settings) ? sayPersonIsCalled(given, input) : given
    const durationMs = Math.round(performance.now() - startedAt)
    // Before the answer is finished: whoever sees the answer must not still see the old error.
    if (place && campaign.trouble && answer.engine !== 'rule') await noteTrouble(ctx.db, campaign, null)
    const state = await stateAfter(ctx, context, { answer, campaign, question: input.text })
    const waiting = handler?.handler === 'person' ? handler.reason : state.waiting
    return {
      ...{ campaign, routing, assigns, resumes, ...state, waiting },
      outcome: outcomes[answer.kind],
      reason: answer.reason,
      text: answer.text,
      choices: answer.choices,
      generatedBy: answer,
      durationMs,
      isCharged: place !== undefined && isCharged(answer),
      ...(handler && { handler }),
    }
  } catch (error) {
    if (error instanceof EngineBusy || error instanceof Unpaid) await place?.giveBack()
    return afterFailure(ctx, { turn, decision, signal, error })
  }
}

/** Only sub-accounts pay: for the others a hold would be four statements that hold nothing. */
function priceOf({ conversation, route }: TurnContext, { settings }: Campaign): Price {
  if (conversation.isSimulated || conversation.agencyId === null) return { price: 0, forMessage: 0n }
  return { price: settings.creditsPerReply, forMessage: BigInt(route?.unitsPerMessage ?? 0) }
}

/** Of a custom channel, nothing is begun. */
function showTyping(ctx: BotCtx, { turn, route }: TurnContext): Disposable | undefined {
  if (!route?.address) return undefined
  const { accountId, contactId } = turn
  return ctx.showTyping({ accountId, contactId, channelId: route.channelId, address: route.address })
}

const outcomes = {
  answer: 'answered',
  offer: 'offered',
  fallback: 'fell back',
  handover: 'handed over',
  silent: 'silent',
} as const

type GeneratedAnswer = { answer: Answer; campaign: Generation['decision']['campaign']; question: string }

/** Whether this miss is the one that calls a person; while one is waited for because of misses, another calls nobody. */
function callsPerson(conversation: Conversation, { kind }: Answer, { maxMisses }: CampaignSettings): boolean {
  return kind === 'fallback' && conversation.misses + 1 >= maxMisses && !conversation.isPersonCalled
}

/** What an answer leaves in the conversation: its offers, the count of misses, a handover after too many of them. */
async function stateAfter(
  { db, embedder }: BotCtx,
  { conversation }: TurnContext,
  { answer, campaign, question }: GeneratedAnswer,
) {
  const isMiss = answer.kind === 'fallback'
  const misses = isMiss ? conversation.misses + 1 : 0
  const isUnanswered = isMiss || answer.kind === 'offer'
  const waiting = misses >= campaign.settings.maxMisses ? 'misses' : null
  const botState = { misses, offered: answer.offered }
  if (!isUnanswered) return { botState, waiting }
  // A campaign with knowledge has loaded the embedding model; the list of unanswered questions alone does not load it.
  const embed = async (text: string) =>
    embedder.state() === 'not loaded' ? null : await vectorOfQuestion(embedder, text)
  const ref = { accountId: campaign.accountId, campaignId: campaign.id }
  const nearest = answer.sources[0]?.score ?? null
  return { botState, waiting, unanswered: await readUnanswered(db, ref, { asked: question, embed, nearest }) }
}
