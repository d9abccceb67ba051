import { lockIdentifiers } from '../contacts/opt-out-store.ts'
import { releaseHold, settleHold } from '../credits/spend.ts'
import type { Answer } from '../engines/common/engine.ts'
import { noteUnanswered } from '../knowledge/unanswered/unanswered.ts'
import type { Unanswered } from '../knowledge/unanswered/unanswered-store.ts'
import { sendWithin } from '../messages/send.ts'
import { withBriefLocks } from '../platform/database/brief-locks.ts'
import type { Tx } from '../platform/database/db.ts'
import type { EntryId, MessageId } from '../platform/ids.ts'
import { type AnswerRow, insertAnswer, lockLive } from './answer-store.ts'
import { applyConsent, type Heard, hearStop } from './conversation/consent.ts'
import { type Change, changeConversation, type Handler, lockConversation } from './conversation/conversation-store.ts'
import { dropTurn } from './conversation/drop-turn.ts'
import type { BotCtx } from './ctx.ts'
import type { Conversation } from './decide/context-store.ts'
import type { Routed } from './decide/route-to-campaign.ts'
import { endTurn, lockTurn, mostSuperseded, postponeTurn, type Turn } from './turns/turn-store.ts'

/** How a turn ends. */
export type Settlement = Routed & {
  outcome: AnswerRow['outcome']
  reason: string
  /** Null: nothing is said. */
  text: string | null
  /** Who answers from now on, if that changes. */
  handler?: Handler
  /** The bot is back after a person had the conversation. */
  resumes?: boolean
  /** Why the contact now waits for a person. */
  waiting?: string | null
  /** What the bot remembers of what it said. */
  said?: { misses: number; offered: EntryId[] }
  /** It costs what was held for it. */
  isCharged?: boolean
  by?: Pick<Answer, 'engine' | 'model' | 'sources' | 'usage'>
  unanswered?: Unanswered | undefined
  durationMs?: number
  /** What they said about being written to. It counts also when the bot may not answer. */
  heard?: Heard | undefined
}

/** `superseded`: the contact has written again, so the answer is thought out again. `lost`: it was not ours any more. */
export type Settled = 'settled' | 'superseded' | 'lost'

/**
 * Ends a turn: what is said, who answers next and what was decided, all of it or nothing, and only if nothing has
 * happened meanwhile that would make it wrong. Locks the conversation, then the turn; whatever it needs besides, it waits
 * for only briefly while it holds them, because messages that come in wait for both.
 */
export async function settle(
  { db, secretKey, wakeDelivery }: Pick<BotCtx, 'db' | 'secretKey' | 'wakeDelivery'>,
  turn: Turn,
  { conversation, ...settlement }: Settlement & { conversation: Conversation },
): Promise<Settled> {
  const settled = await withBriefLocks(db, (tx) => settleWithin({ tx, turn, conversation, secretKey }, settlement))
  if (settled === 'settled' && settlement.text !== null) wakeDelivery({ accountId: turn.accountId, kind: 'reply' })
  return settled
}

type Settling = { tx: Tx; turn: Turn; conversation: Conversation; secretKey: Buffer }

async function settleWithin(settling: Settling, settlement: Settlement): Promise<Settled> {
  const { tx, turn, conversation, secretKey } = settling
  const { heard } = settlement
  const known = heard && (await lockIdentifiers(tx, turn)) // before the conversation, like everybody
  const now = await lockConversation(tx, turn)
  const row = await lockTurn(tx, turn)
  if (!row) return 'lost'
  if (!now) {
    await dropTurn(tx, turn) // the contact was erased
    return 'lost'
  }
  if (now.epoch !== conversation.epoch) {
    await postponeTurn(tx, turn, { seconds: 0, attempts: turn.attempts - 1 }) // somebody else answers now; decide again
    return 'lost'
  }
  const speaks = settlement.text !== null
  const isLate = speaks && row.lastSeq > turn.claimedSeq
  if (isLate && (turn.superseded < mostSuperseded || (await hearStop(tx, turn)))) {
    await postponeTurn(tx, turn, { seconds: 0, attempts: 0, isSuperseded: true })
    return 'superseded'
  }
  const silenced = now.botActive ? await whyNotLive(tx, turn, settlement) : 'bot_off'
  const final = silenced === undefined ? settlement : silence(settlement, silenced)
  await write(settling, final)
  if (heard && known) await applyConsent({ tx, secretKey }, { ...turn, ...known }, heard)
  const charged = final.isCharged ? await settleHold(tx, turn) : undefined
  if (!charged) await releaseHold(tx, turn)
  await endTurn(tx, turn, row.lastSeq)
  return 'settled'
}

/** A campaign that was paused while the answer was thought out does not give it. */
async function whyNotLive(tx: Tx, { accountId }: Turn, { campaign, outcome }: Settlement): Promise<string | undefined> {
  if (!campaign || outcome === 'skipped') return undefined
  const status = await lockLive(tx, accountId, campaign.id)
  return status === 'live' ? undefined : `campaign_${status ?? 'gone'}`
}

function silence({ campaign, routing, assigns }: Settlement, reason: string): Settlement {
  return { campaign, routing, assigns, outcome: 'skipped', reason, text: null, waiting: reason }
}

async function write({ tx, turn, conversation }: Settling, settlement: Settlement): Promise<void> {
  const { campaign, text, unanswered } = settlement
  let messageId: MessageId | null = null
  if (text !== null) {
    const { accountId } = turn
    const sent = await sendWithin(tx, { accountId, toId: conversation.fromId, author: 'bot', body: text })
    messageId = sent.messageId
  }
  await changeConversation(tx, turn, changeBy(settlement))
  if (campaign && unanswered) {
    const { accountId, contactId } = turn
    await noteUnanswered(tx, { accountId, contactId, campaignId: campaign.id }, unanswered)
  }
  await insertAnswer(tx, answerRow(turn, settlement, messageId))
}

function changeBy({ campaign, assigns, handler, resumes, waiting, said }: Settlement): Change {
  return {
    handler: handler ?? (resumes ? { handler: 'bot', reason: 'resumed' } : undefined),
    said,
    waiting: waiting ?? undefined,
    endsShortage: true,
    campaignId: assigns ? campaign?.id : undefined,
    waits: campaign && {
      quietMs: campaign.settings.quietSeconds * 1_000,
      maxWaitMs: Math.max(campaign.settings.quietSeconds, campaign.settings.maxWaitSeconds) * 1_000,
    },
  }
}

function answerRow(turn: Turn, settlement: Settlement, messageId: MessageId | null): AnswerRow {
  const { campaign, outcome, reason, routing, by, durationMs = null } = settlement
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
    engine: by?.engine ?? null,
    model: by?.model ?? null,
    sources: by?.sources ?? [],
    inputTokens: by?.usage?.inputTokens ?? null,
    outputTokens: by?.usage?.outputTokens ?? null,
    durationMs,
  }
}
