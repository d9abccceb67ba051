/**
 * Keeps the bot from talking over a person, part 3: just before an answer is sent, `finishTurn` locks the conversation and
 * discards the answer if somebody took over, opted out or wrote again since it was begun.
 */

import type { Answer, Choice } from '../../answers/engines/common/engine.ts'
import { noteUnanswered } from '../../answers/knowledge/unanswered/unanswered.ts'
import type { UnansweredQuestion } from '../../answers/knowledge/unanswered/unanswered-store.ts'
import { chargeHold, type MessageCost, NotEnoughCredits, releaseHold } from '../../business/credits/spend.ts'
import { lockIdentifiers } from '../../people/contacts/opt-out-store.ts'
import type { Tx } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import type { EntryId, MessageId } from '../../platform/ids.ts'
import { staysPaused } from '../conversations/after-pause-store.ts'
import { applyConsent, type ConsentRequest, findPendingOptOut } from '../conversations/consent.ts'
import {
  type ConversationChange,
  type ConversationEvent,
  changeConversation,
  type Handler,
  noteEvent,
} from '../conversations/conversation-store.ts'
import { dropTurn } from '../conversations/drop-turn.ts'
import { endTurn, mostSuperseded, postponeTurn, type Turn } from '../conversations/turn-store.ts'
import { type Replied, replyWithin, whyNot } from '../messages/reply.ts'
import { type ReplyRoute, readReplyRoute } from '../messages/reply-route-store.ts'
import { type AnswerRow, insertAnswer, lockForAnswer } from './answer-store.ts'
import type { BotCtx } from './ctx.ts'
import type { Conversation } from './decide/context-store.ts'
import type { Route } from './decide/route-to-campaign.ts'
import { introduce } from './introduce.ts'

/** How a turn ends. */
export type TurnResult = Route & {
  outcome: AnswerRow['outcome']
  reason: string
  /** The text of the reply; null when nothing is sent. */
  text: string | null
  /** What the reply offers, for a channel with buttons. */
  choices?: Choice[]
  /** Who answers from now on, if that changes. */
  handler?: Handler
  /** The bot takes the conversation back from a person. */
  resumes?: boolean
  /** Why the contact now waits for a person. */
  waiting?: string | null
  /** What the bot remembers of its last answers. */
  botState?: { misses: number; offered: EntryId[] }
  /** The credits held for it are charged. */
  isCharged?: boolean
  generatedBy?: Pick<Answer, 'engine' | 'model' | 'sources' | 'usage'>
  unanswered?: UnansweredQuestion | undefined
  durationMs?: number
  /** An opt-out or opt-in in the messages. It is applied also when the bot may not answer. */
  consent?: ConsentRequest | undefined
}

/**
 * `superseded`: the contact has written again, so the answer is generated again. `lost`: the turn is another process's,
 * or somebody else answers now. `unpaid`: the balance does not cover it, and nothing has happened.
 */
export type Ending = 'finished' | 'superseded' | 'lost' | 'unpaid'

/**
 * Ends a turn: reply, handler and decision in one transaction, and only if nothing has happened meanwhile that would
 * make them wrong. Locks the conversation, then the turn. While it holds them it waits only briefly for any other lock,
 * because incoming messages wait for both.
 */
export async function finishTurn(
  ctx: Pick<BotCtx, 'db' | 'secretKey' | 'wakeDelivery' | 'instruments' | 'hint'>,
  turn: Turn,
  { conversation, ...result }: TurnResult & { conversation: Conversation },
): Promise<Ending> {
  const { db, secretKey, wakeDelivery, instruments } = ctx
  let sent: Replied | undefined
  const onSent = (replied: Replied) => {
    sent = replied
  }
  try {
    const finished = await withLockTimeout(db, (tx) =>
      finishWithin({ tx, turn, conversation, secretKey, onSent }, result),
    )
    if (finished !== 'finished') return finished
  } catch (error) {
    if (!(error instanceof NotEnoughCredits)) throw error
    // Whoever needs a person gets one all the same: it is only not said, where saying it costs more than there is.
    return result.handler ? finishTurn(ctx, turn, { conversation, ...result, text: null }) : 'unpaid'
  }
  instruments.turns.add(result.outcome)
  if (sent?.receiverId !== undefined) wakeDelivery({ accountId: turn.accountId, receiverId: sent.receiverId })
  hintAtScreens(ctx, turn, { conversation, ...result, isCharged: result.isCharged || sent?.cost !== undefined })
  return 'finished'
}

/**
 * Hints, besides at the conversation, at the list of unanswered questions, and at the credits of a sub-account and of
 * its agency.
 */
function hintAtScreens(
  { hint }: Pick<BotCtx, 'hint'>,
  { accountId }: Turn,
  { conversation: { agencyId }, isCharged, unanswered }: TurnResult & { conversation: Conversation },
): void {
  if (unanswered) hint(accountId, 'campaigns')
  if (isCharged && agencyId !== null) for (const shown of [accountId, agencyId]) hint(shown, 'credits')
}

type FinishCtx = {
  tx: Tx
  turn: Turn
  conversation: Conversation
  secretKey: Buffer
  onSent: (replied: Replied) => void
}

async function finishWithin(ctx: FinishCtx, result: TurnResult): Promise<Ending> {
  const { tx, turn, conversation, secretKey } = ctx
  const { consent } = result
  const identifiers = consent && (await lockIdentifiers(tx, turn)) // lock order: contact, conversation, turn
  const { conversation: now, turn: row, campaignStatus } = await lockForAnswer(tx, turn, result.campaign?.id ?? null)
  if (!row) return 'lost'
  if (!now) {
    await dropTurn(tx, turn) // the contact was erased
    return 'lost'
  }
  if (now.epoch !== conversation.epoch) {
    await postponeTurn(tx, turn, { seconds: 0, attempts: turn.attempts - 1 }) // somebody else answers now; decide again
    return 'lost'
  }
  const isSuperseded = result.text !== null && row.lastSeq > turn.claimedSeq
  if (isSuperseded && (turn.superseded < mostSuperseded || (await findPendingOptOut(tx, turn)))) {
    await postponeTurn(tx, turn, { seconds: 0, attempts: 0, isSuperseded: true })
    return 'superseded'
  }
  const route = result.text !== null && now.isOnChannels ? await readReplyRoute(tx, turn) : undefined
  const skipReason = now.botActive ? (whyNotLive(result, campaignStatus) ?? (route && whyNot(route))) : 'bot_off'
  const final = skipReason === undefined ? result : skipped(result, skipReason)
  if (final.reason === 'channel_paused' && !(await staysPaused(tx, turn))) {
    await postponeTurn(tx, turn, { seconds: 0, attempts: turn.attempts - 1 }) // it has gone on; decide again
    return 'lost'
  }
  const cost = await write(ctx, final, { ...now, route })
  if (consent && identifiers) await applyConsent({ tx, secretKey }, { ...turn, ...identifiers }, consent)
  if (conversation.agencyId !== null) await settleHold(tx, turn, { ...final, cost }) // only sub-accounts pay
  await endTurn(tx, turn, row.lastSeq)
  // Last: everybody who asks the same waits for this row until the transaction ends.
  if (final.campaign && final.unanswered) {
    await noteUnanswered(tx, { ...turn, campaignId: final.campaign.id }, final.unanswered)
  }
  return 'finished'
}

/** A campaign that was paused while the answer was generated does not send it. */
function whyNotLive({ campaign, outcome }: TurnResult, status: string | null): string | undefined {
  if (!campaign || outcome === 'skipped') return undefined
  return status === 'live' ? undefined : `campaign_${status ?? 'gone'}`
}

type Settled = Pick<TurnResult, 'isCharged'> & { cost: MessageCost | undefined }

async function settleHold(tx: Tx, turn: Turn, { isCharged = false, cost }: Settled): Promise<void> {
  if (isCharged || cost) await chargeHold(tx, turn, { isCharged, message: cost })
  else await releaseHold(tx, turn)
}

function skipped({ campaign, routing, assigns }: TurnResult, reason: string): TurnResult {
  return { campaign, routing, assigns, outcome: 'skipped', reason, text: null, waiting: reason }
}

async function write(
  { tx, turn, conversation, onSent }: FinishCtx,
  result: TurnResult,
  { isOnChannels, route }: { isOnChannels: boolean; route: ReplyRoute | undefined },
): Promise<MessageCost | undefined> {
  const { text, choices = [] } = result
  const kind = eventOf(result)
  if (kind) await noteEvent(tx, turn, { kind, userId: null })
  let sent: Replied | undefined
  if (text !== null) {
    const { accountId, contactId, trace } = turn
    const { externalId } = conversation
    const body = await introduce(tx, turn, { text, route, campaign: result.campaign, conversation })
    const reply = { accountId, contactId, externalId, isOnChannels, author: 'bot' as const, body }
    const buttons = choices.map(({ entryId: id, title }) => ({ id, title }))
    sent = await replyWithin(tx, { ...reply, choices: buttons, trace: trace ?? undefined })
    onSent(sent)
  }
  await changeConversation(tx, turn, conversationChange(result))
  await insertAnswer(tx, answerRow(turn, result, sent?.messageId ?? null))
  return sent?.cost
}

/** The bot notes what the contact asked for, and that it has taken the conversation back from a person. */
function eventOf({ handler, resumes }: TurnResult): ConversationEvent['kind'] | undefined {
  if (handler) return handler.reason === 'requested' ? 'asked for a person' : undefined
  return resumes ? 'handed back' : undefined
}

function conversationChange(result: TurnResult): ConversationChange {
  const { campaign, assigns, handler, resumes, waiting, botState } = result
  return {
    handler: handler ?? (resumes ? { handler: 'bot', reason: 'resumed' } : undefined),
    botState,
    waiting: waiting ?? undefined,
    waitsNoMoreFor: 'no_credits',
    campaignId: assigns ? campaign?.id : undefined,
    debounce: campaign && {
      quietMs: campaign.settings.quietSeconds * 1_000,
      maxWaitMs: Math.max(campaign.settings.quietSeconds, campaign.settings.maxWaitSeconds) * 1_000,
    },
  }
}

export function answerRow(turn: Turn, result: TurnResult, messageId: MessageId | null): AnswerRow {
  const { campaign, outcome, reason, routing, generatedBy, durationMs = null } = result
  return {
    accountId: turn.accountId,
    contactId: turn.contactId,
    fromSeq: turn.fromSeq,
    toSeq: turn.claimedSeq,
    outcome,
    reason,
    routing,
    campaignId: campaign?.id ?? null,
    campaignVersion: campaign?.version ?? null,
    messageId,
    engine: generatedBy?.engine ?? null,
    model: generatedBy?.model ?? null,
    sources: generatedBy?.sources ?? [],
    inputTokens: generatedBy?.usage?.inputTokens ?? null,
    outputTokens: generatedBy?.usage?.outputTokens ?? null,
    durationMs,
  }
}
