import type { Near, Retried, TestAnswer, TestQuestion } from '@patchbay/contract/app/knowledge.ts'
import type { Static } from 'typebox'
import { allSettings, checkSettings } from '../../../answers/campaigns/settings.ts'
import type { CampaignRow } from '../../../answers/campaigns/store.ts'
import { openBuiltinEngine } from '../../../answers/engines/builtin/builtin-engine.ts'
import type { Engines } from '../../../answers/engines/choose-engine.ts'
import { EngineBusy, EngineError } from '../../../answers/engines/common/engine.ts'
import { embedMissingOf } from '../../../answers/knowledge/search/embed-missing.ts'
import type { Embedder } from '../../../answers/knowledge/search/embedder.ts'
import type { RankedEntry } from '../../../answers/knowledge/search/ranking.ts'
import type { Knowledge } from '../../../answers/knowledge/search/retrieval.ts'
import { forgetAnswered } from '../../../answers/knowledge/unanswered/unanswered.ts'
import { openRateLimiter } from '../../../business/accounts/rate-limit/rate-limit.ts'
import type { Db } from '../../../platform/database/db.ts'
import { openFairShare } from '../../../platform/database/fair-share.ts'
import type { EntryId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { type AskedCampaign, askBot } from './ask.ts'

type Ctx = Readonly<{ db: Db; embedder: Embedder; knowledge: Knowledge; engines: Engines }>

/**
 * The questions of all accounts in this process; contacts' questions wait for the same thread. One account gets one or
 * two of them.
 */
const atOnce = 4
/** The calls of one account, where a language model is asked. */
const modelCallsPerMinute = 20

/** What the app asks of a bot that is being taught: a few at a time, in the thread of the built-in model. */
export function openTestChat(ctx: Ctx) {
  const share = openFairShare({ slots: atOnce, mostWaiting: 4, longestWaitMs: 10_000 })
  const takeCall = openRateLimiter(modelCallsPerMinute)

  return {
    ask: (campaign: CampaignRow, asked: AskRequest) =>
      share(campaign.accountId, async () => {
        if (allSettings(campaign.settings).engine !== 'builtin') refuseIfOver(takeCall, campaign)
        return ask(ctx, campaign, asked)
      }),
    near: (campaign: CampaignRow, asked: { question: string; entryId?: string }) =>
      share(campaign.accountId, () => near(ctx, campaign, asked)),
    retry: (campaign: CampaignRow, questions: string[]) =>
      share(campaign.accountId, () => retry(ctx, campaign, questions)),
  }
}

function refuseIfOver(take: ReturnType<typeof openRateLimiter>, { accountId }: CampaignRow): void {
  const allowance = take({ key: accountId, rateLimitPerMinute: null })
  if (!allowance || allowance.allowed) return
  const retryAfterSeconds = allowance.resetsInSeconds
  const sentence = `Too many questions to a language model; try again in ${retryAfterSeconds} s.`
  throw new Refusal('RATE_LIMITED', sentence, { retryAfterSeconds })
}

/** `isMetered`: answers cost the account credits. */
type AskRequest = Static<typeof TestQuestion> & { isMetered: boolean }

async function ask(ctx: Ctx, row: CampaignRow, asked: AskRequest): Promise<Static<typeof TestAnswer>> {
  const settings = { ...allSettings(row.settings), ...asked.trial }
  checkSettings(settings)
  const campaign = { ...row, settings }
  await embedNow(ctx, row)
  const history = (asked.history ?? []).map((message) => ({ ...message, kind: 'text' as const }))
  const signal = AbortSignal.timeout(settings.replyTimeoutSeconds * 1_000)
  const offered = (asked.offered ?? []) as EntryId[] // one that the campaign does not have is not found
  try {
    const engine = await ctx.engines.of(campaign)
    const question = { question: asked.question, history, offered, signal }
    const said = await askBot({ engine, knowledge: ctx.knowledge }, campaign, question)
    const { kind: decision, text, reason, engine: name, model, sources } = said.answer
    const made = { decision, text, reason, engine: name, model, offered: said.answer.offered }
    const credits = asked.isMetered ? said.credits : 0
    return { ...made, credits, sources: sources.map(({ entryId }) => entryId), scores: said.scores.map(shownScore) }
  } catch (error) {
    return failed(error, campaign, signal)
  }
}

function failed(error: unknown, { settings }: AskedCampaign, signal: AbortSignal): Static<typeof TestAnswer> {
  const isKnown = error instanceof EngineError || error instanceof EngineBusy
  if (!isKnown && !signal.aborted) throw error
  const reason = isKnown ? error.message : `The model gave no answer in ${settings.replyTimeoutSeconds} s.`
  const { engine, model } = settings
  return { decision: 'failed', text: null, reason, engine, model, credits: 0, scores: [], sources: [], offered: [] }
}

async function near(
  ctx: Ctx,
  row: CampaignRow,
  { question, entryId }: { question: string; entryId?: string },
): Promise<Static<typeof Near>> {
  await embedNow(ctx, row)
  const { language, offerThreshold } = allSettings(row.settings)
  const { entries } = await ctx.knowledge.rank({ accountId: row.accountId, campaignId: row.id }, question, language)
  const other = entries.find((entry) => entry.entryId !== entryId)
  const own = entries.find((entry) => entry.entryId === entryId)
  return {
    near: other && other.score >= offerThreshold ? shownScore(other) : null,
    own: own ? shownScore(own).score : null,
  }
}

/** Asks the built-in engine, as a worker does after a change: what is answered now is not unanswered any more. */
async function retry(ctx: Ctx, row: CampaignRow, questions: string[]): Promise<Static<typeof Retried>> {
  await embedNow(ctx, row)
  const engine = openBuiltinEngine(ctx.knowledge)
  const campaign = { accountId: row.accountId, campaignId: row.id }
  const input = { campaign, settings: allSettings(row.settings), firstName: null, history: [], offered: [] }
  const answered: string[] = []
  for (const text of questions) {
    const { kind } = await engine.generate({ ...input, text }, new AbortController().signal)
    if (kind === 'answer' || kind === 'handover') answered.push(text)
  }
  await forgetAnswered(ctx.db, campaign, answered)
  return { answered }
}

async function embedNow({ db, embedder }: Ctx, { accountId, id }: CampaignRow): Promise<void> {
  await embedMissingOf(db, embedder, { accountId, campaignId: id }).catch((error) => {
    if (embedder.state() !== 'failed') throw error // without the weights, words are compared
  })
}

function shownScore({ entryId, question, score }: RankedEntry) {
  return { entryId, question, score: Number(score.toFixed(3)) }
}
