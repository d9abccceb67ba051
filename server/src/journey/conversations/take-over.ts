/**
 * Keeps the bot from talking over a person, part 1: a person takes a conversation over, and its epoch goes up in the
 * same transaction. `bot/decide/decide-who-answers.ts` then skips new messages, and `finish.ts` discards an answer of an
 * old epoch.
 */

import { isVisible } from '@patchbay/contract/text.ts'
import { hintAtCredits } from '../../business/credits/hint-at-credits.ts'
import { requestRechargeWhenShort } from '../../business/credits/recharge.ts'
import { chargeMessages, NotEnoughCredits } from '../../business/credits/spend.ts'
import { type Identifiers, lockIdentifiers } from '../../people/contacts/opt-out-store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import { type IdempotencyKey, withIdempotencyKeyIn } from '../../platform/idempotency/idempotency.ts'
import { type AccountId, isId, type MessageId, sayUnknown, type UserId } from '../../platform/ids.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { notifyWorkers } from '../../platform/notify/notify.ts'
import { Refusal } from '../../platform/refusal.ts'
import { takeFile } from '../media/outgoing/keep-file.ts'
import { attach } from '../media/store.ts'
import { checkBody } from '../messages/body.ts'
import { type ReplyBy, replyWithin } from '../messages/reply.ts'
import { applyPendingOptOut } from './consent.ts'
import {
  type ConversationRef,
  type ConversationState,
  changeConversation,
  type Handler,
  lockConversation,
  noConversation,
  noteEvent,
  readState,
} from './conversation-store.ts'
import { dropTurn } from './drop-turn.ts'
import { oweOldAnswer } from './turn-store.ts'
import { prepareToWrite } from './write-first.ts'

/** What a person writes. Both others are absent when it does not come from the app. */
export type PersonsReply = {
  body: string
  /** Chosen for this reply, which begins a conversation where there is none; else it goes by the channel of the contact's last message. */
  by?: ReplyBy | undefined
  /** Of a file that was attached; then the text may be empty. */
  fileId?: string | undefined
  userId?: UserId | undefined
  /** The same reply again has no second effect, and gets the id of the first message. */
  idempotencyKey?: IdempotencyKey | undefined
}

/**
 * A person writes to a contact and has the conversation from then on: the message and the bot's silence commit
 * together. An answer that the bot is generating at this moment is never sent.
 */
export async function reply(
  { db, wakeDelivery, hint }: ReplyCtx,
  ref: ConversationRef,
  { body, by, fileId, userId, idempotencyKey }: PersonsReply,
): Promise<{ messageId: MessageId }> {
  checkBody(body, 'The text')
  if (fileId === undefined && !isVisible(body)) throw new Refusal('INVALID_REQUEST', 'The text must not be empty.')
  const { accountId, contactId } = ref
  let isCharged = false
  const prepare = by === undefined ? undefined : (tx: Tx) => prepareToWrite(tx, ref, by)
  const write = async (tx: Tx) => {
    const work = async (before: LockedConversation) => {
      const { externalId, isOnChannels } = before
      const handler = handlerAfterReply(before, userId ?? null)
      await silenceBot(tx, ref, { before, handler, personWrote: true })
      const reply = { accountId, contactId, externalId, isOnChannels, by, author: 'person' as const, body, userId }
      const file = fileId === undefined ? undefined : await takeFile(tx, ref, fileId)
      const { messageId, cost } = await replyWithin(tx, file ? { ...reply, file } : reply)
      if (file) await attach(tx, { accountId, messageId, ...file })
      if (cost) await chargeMessages(tx, accountId, [cost])
      isCharged = cost !== undefined
      return { messageId }
    }
    return inConversation(tx, ref, work, prepare)
  }
  const sent = await withLockTimeout(db, async (tx) => {
    if (!idempotencyKey) return write(tx)
    const act = async () => ({ status: 200, contactId, answer: await write(tx) })
    return (await withIdempotencyKeyIn(tx, { accountId, idempotencyKey }, act)).answer
  }).catch(async (error) => {
    if (error instanceof NotEnoughCredits && (await askForCredits(db, accountId, error))) await wakeDelivery()
    throw error
  })
  await notifyWorkers(db, 'bot')
  await wakeDelivery()
  if (isCharged && hint) await hintAtCredits({ db, hint }, accountId)
  return sent
}

/** `hint`: somebody may have a screen open. */
type ReplyCtx = { db: Db; wakeDelivery: () => void | Promise<void>; hint?: Hint }

/** Nothing was charged, so no charge has asked for a recharge. */
function askForCredits(db: Db, accountId: AccountId, { units }: NotEnoughCredits): Promise<boolean> {
  return withLockTimeout(db, (tx) => requestRechargeWhenShort(tx, accountId, units))
}

/** A bot that was switched off for the contact stays off: it would come back some time after the reply. */
function handlerAfterReply(before: LockedConversation, userId: UserId | null): Handler {
  if (before.handler !== 'off') return { handler: 'person', reason: 'typed', userId }
  return { handler: 'off', reason: before.handlerReason, userId: before.handlerUserId }
}

/** Checks the way that an operator or a user chose for a reply. */
export function replyByOf(channelId: string | undefined): ReplyBy | undefined {
  if (channelId === undefined || channelId === 'custom' || isId('chn', channelId)) return channelId
  throw new Refusal('NOT_FOUND', sayUnknown('channel', 'chn', channelId))
}

/** A person takes the conversation over before they write anything. */
export async function takeOver(db: Db, ref: ConversationRef, userId?: UserId): Promise<ConversationState> {
  const handler: Handler = { handler: 'person', reason: 'taken over', userId: userId ?? null }
  return change(db, ref, (tx, before) => silenceBot(tx, ref, { before, handler }))
}

type HandBack = { answersOld?: boolean; userId?: UserId }

/** Hands the conversation back to the bot, for new messages; with `answersOld` also for unanswered old ones. */
export async function handBack(
  db: Db,
  ref: ConversationRef,
  { answersOld = false, userId }: HandBack = {},
): Promise<ConversationState> {
  return change(db, ref, async (tx, before) => {
    if (before.handler !== 'bot') await noteEvent(tx, ref, { kind: 'handed back', userId: userId ?? null })
    const handler: Handler = { handler: 'bot', reason: 'handed back' }
    await changeConversation(tx, ref, { handler, waiting: null, ignoresOlderMessages: !answersOld })
    if (!answersOld) return
    await dropTurn(tx, ref)
    // They may have been set aside by a hand-back a moment ago.
    await changeConversation(tx, ref, { answersAgainFrom: await oweOldAnswer(tx, ref) })
  })
}

/** The bot never writes to this contact until the conversation is handed back to it. */
export async function switchOff(db: Db, ref: ConversationRef, userId?: UserId): Promise<ConversationState> {
  const handler: Handler = { handler: 'off', reason: 'switched off', userId: userId ?? null }
  return change(db, ref, (tx, before) => silenceBot(tx, ref, { before, handler }))
}

/** Checks the contact id that an operator or a caller gave. */
export function conversationOf(accountId: AccountId, contactId: string): ConversationRef {
  if (isId('con', contactId)) return { accountId, contactId }
  throw new Refusal('CONTACT_NOT_FOUND', sayUnknown('contact', 'con', contactId))
}

/** The conversation before the change, locked. */
type LockedConversation = NonNullable<Awaited<ReturnType<typeof lockConversation>>> & Pick<Identifiers, 'externalId'>

type HandlerChange = { before: LockedConversation; handler: Handler; personWrote?: boolean }

async function silenceBot(
  tx: Tx,
  ref: ConversationRef,
  { before, handler, personWrote }: HandlerChange,
): Promise<void> {
  const kind = handler.handler === 'off' ? 'switched off' : 'taken over'
  if (!isSameHandler(before, handler)) await noteEvent(tx, ref, { kind, userId: handler.userId ?? null })
  const claimedBy = handler.handler === 'person' ? (handler.userId ?? null) : personWrote ? null : undefined
  await changeConversation(tx, ref, { handler, personWrote, waiting: null, claimedBy })
  await applyPendingOptOut(tx, ref)
  await dropTurn(tx, ref)
}

/** Whether the same user had the conversation already; one that the bot has handed over belongs to nobody yet. */
function isSameHandler(before: LockedConversation, { handler, userId = null }: Handler): boolean {
  if (before.handler !== handler) return false
  const hasOwner = handler === 'off' || before.handlerReason === 'typed' || before.handlerReason === 'taken over'
  return hasOwner && (handler === 'off' || before.handlerUserId === userId)
}

async function change(
  db: Db,
  ref: ConversationRef,
  work: (tx: Tx, before: LockedConversation) => Promise<void>,
): Promise<ConversationState> {
  const state = await withLockTimeout(db, (tx) =>
    inConversation(tx, ref, async (before) => {
      await work(tx, before)
      return readState(tx, ref)
    }),
  )
  await notifyWorkers(db, 'bot')
  return state
}

/**
 * Locks contact, then conversation, as everything that changes who answers does. After the commit, workers must be
 * notified, so that they abort the answer they may be generating. `prepare` runs in between.
 */
async function inConversation<Value>(
  tx: Tx,
  ref: ConversationRef,
  work: (before: LockedConversation) => Promise<Value>,
  prepare?: (tx: Tx) => Promise<void>,
): Promise<Value> {
  const identifiers = await lockIdentifiers(tx, ref)
  if (identifiers) await prepare?.(tx)
  const before = await lockConversation(tx, ref)
  if (!before || !identifiers) throw noConversation(ref)
  return work({ ...before, externalId: identifiers.externalId })
}
