import { allSettings } from '../campaigns/settings.ts'
import { listCampaigns, noteTrouble } from '../campaigns/store.ts'
import { recognizeOptOut } from '../contacts/opt-out.ts'
import { oweRechargeWhenShort } from '../credits/recharge.ts'
import { unitsOfPrice } from '../credits/spend.ts'
import { type Answer, EngineBusy, EngineError } from '../engines/engine.ts'
import type { Engines } from '../engines/engines.ts'
import type { Embedder } from '../knowledge/embedder.ts'
import { vectorOfQuestion } from '../knowledge/unanswered.ts'
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { changeConversation } from './conversation-store.ts'
import { type Decision, decide, rest, type Scene } from './decide.ts'
import { dropTurn } from './drop-turn.ts'
import type { Interruption } from './heartbeat.ts'
import { inputOf } from './input.ts'
import { metered, Unpaid } from './metered.ts'
import { respond, toPerson } from './respond.ts'
import { readConversation, readMessages, readSpent } from './scene-store.ts'
import { type Settlement, settle } from './settle.ts'
import { parkTurn, postponeTurn, type Turn } from './turn-store.ts'

export type BotCtx = Readonly<{
  db: Db
  engines: Engines
  embedder: Embedder
  secretKey: Buffer
  log: Log
  wakeDelivery: () => void
}>

/** After the first and the second attempt that failed. After the third a person is called. */
const retrySeconds = [2, 8]

/**
 * Answers one turn to its end: decides, thinks, and settles. Whatever happens in between, the row of the turn stays
 * until it is settled, so another process can take it up.
 */
export async function answerTurn(ctx: BotCtx, turn: Turn, signal: AbortSignal): Promise<void> {
  const scene = await readScene(ctx, turn)
  if (!scene) return void (await ctx.db.transaction().execute((tx) => dropTurn(tx, turn))) // the contact was erased
  const decision = decide(scene)
  const settlement = decision.act === 'answer' ? await think(ctx, { scene, decision, signal }) : withoutEngine(decision)
  if (!settlement) return
  await settle(ctx, turn, { ...settlement, heard: decision.heard, conversation: scene.conversation })
}

async function readScene({ db, secretKey }: BotCtx, turn: Turn): Promise<Scene | undefined> {
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

type Thinking = { scene: Scene; decision: Extract<Decision, { act: 'answer' }>; signal: AbortSignal }

function withoutEngine(decision: Exclude<Decision, { act: 'answer' }>): Settlement {
  const { campaign, routing, assigns, reason } = decision
  const routed = { campaign, routing, assigns }
  if (decision.act === 'skip') return { ...routed, outcome: 'skipped', reason, text: null, waiting: decision.waiting }
  return { ...routed, ...handOver(decision.text, reason) }
}

function handOver(text: string | null, reason: string) {
  return { outcome: 'handed over' as const, reason, text, handler: toPerson(reason), waiting: reason }
}

/** Undefined: not now; the turn has been put off. */
async function think(ctx: BotCtx, { scene, decision, signal }: Thinking): Promise<Settlement | undefined> {
  const { turn, conversation, messages } = scene
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
      metered(ctx.engines.of(campaign), ctx.db, { ...turn, price }),
      input,
      signal,
    )
    const durationMs = Math.round(performance.now() - startedAt)
    // Before the answer is settled: whoever has the answer does not read of a trouble that is over.
    if (campaign.trouble && answer.engine !== 'rule') await noteTrouble(ctx.db, campaign, null)
    const state = await stateAfter(ctx, scene, { answer, campaign, question: input.text })
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
    return afterFailure(ctx, { scene, decision, signal }, error)
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
async function stateAfter({ embedder }: BotCtx, { conversation }: Scene, { answer, campaign, question }: Said) {
  const isMiss = answer.kind === 'fallback'
  const misses = isMiss ? conversation.misses + 1 : 0
  const isUnanswered = isMiss || answer.kind === 'offer'
  const waiting = misses >= campaign.settings.maxMisses ? 'misses' : null
  const said = { misses, offered: answer.offered }
  if (!isUnanswered) return { said, waiting }
  // A campaign that was taught something has woken the model by its question; for a list alone it may sleep on.
  const vector = embedder.state() === 'asleep' ? null : await vectorOfQuestion(embedder, question)
  return { said, waiting, unanswered: { question, vector } }
}

async function afterFailure(
  { db, log, wakeDelivery }: BotCtx,
  { scene: { turn }, decision, signal }: Thinking,
  error: unknown,
): Promise<Settlement | undefined> {
  const { campaign, routing, assigns } = decision
  const { accountId, contactId, attempts } = turn
  if (signal.aborted) return afterInterruption(db, turn, signal.reason)
  if (error instanceof Unpaid) {
    if (error.isShort && (await park(db, turn, decision))) wakeDelivery()
    return undefined
  }
  if (error instanceof EngineBusy) {
    await postponeTurn(db, turn, { seconds: error.retryAfterSeconds, attempts: attempts - 1 })
    return undefined
  }
  if (!(error instanceof EngineError)) throw error
  log.warn(
    { accountId, contactId, campaignId: campaign.id, reason: error.message, attempts },
    'the bot could not answer',
  )
  await noteTrouble(db, campaign, error.message)
  const seconds = retrySeconds[attempts - 1]
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
async function park(db: Db, turn: Turn, { campaign: { settings }, fresh }: Thinking['decision']): Promise<boolean> {
  const age = fresh[0]?.secondsAgo ?? 0
  const units = unitsOfPrice(settings.creditsPerReply)
  return db.transaction().execute(async (tx) => {
    await changeConversation(tx, turn, { waiting: 'no_credits' })
    await parkTurn(tx, turn, { units, seconds: settings.staleAfterSeconds - age + 1 })
    return oweRechargeWhenShort(tx, turn.accountId)
  })
}

async function afterInterruption(db: Db, turn: Turn, why: Interruption): Promise<undefined> {
  if (why === 'newer message') await postponeTurn(db, turn, { seconds: 0, attempts: 0, isSuperseded: true })
  if (why === 'stopping') await postponeTurn(db, turn, { seconds: 0, attempts: turn.attempts - 1 })
}
