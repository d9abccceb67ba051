/**
 * Keeps the bot from talking over a person, part 1: a person takes a conversation over, and its epoch goes up in the
 * same transaction. `decide/decide-who-answers.ts` then skips new messages, and `settle.ts` discards an answer of an
 * old epoch.
 */

import { isVisible } from '@patchbay/contract/text.ts'
import { lockIdentifiers } from '../../contacts/opt-out-store.ts'
import { checkBody } from '../../messages/body.ts'
import { sendWithin } from '../../messages/send.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import { type AccountId, isId, type MessageId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { notifyWorkers } from '../../work/notify.ts'
import { oweOldAnswer } from '../turns/turn-store.ts'
import { applyPendingOptOut } from './consent.ts'
import {
  type ConversationChange,
  type ConversationRef,
  type ConversationState,
  changeConversation,
  findExternalId,
  lockConversation,
  readState,
} from './conversation-store.ts'
import { dropTurn } from './drop-turn.ts'

/**
 * A person writes to a contact and has the conversation from then on: the message and the bot's silence commit
 * together. An answer that the bot is generating at this moment is never sent.
 */
export async function reply(
  { db, wakeDelivery }: { db: Db; wakeDelivery: () => void | Promise<void> },
  ref: ConversationRef,
  body: string,
): Promise<{ messageId: MessageId }> {
  checkText(body)
  const toId = await externalIdOf(db, ref)
  const messageId = await inConversation(db, ref, async (tx) => {
    await silenceBot(tx, ref, { handler: { handler: 'person', reason: 'typed' }, personWrote: true })
    const sent = await sendWithin(tx, { accountId: ref.accountId, toId, author: 'person', body })
    return sent.messageId
  })
  await wakeDelivery()
  return { messageId }
}

/** A person takes the conversation over before they write anything. */
export async function takeOver(db: Db, ref: ConversationRef): Promise<ConversationState> {
  return change(db, ref, (tx) => silenceBot(tx, ref, { handler: { handler: 'person', reason: 'taken over' } }))
}

/** Hands the conversation back to the bot, for new messages; with `answersOld` also for unanswered old ones. */
export async function handBack(db: Db, ref: ConversationRef, { answersOld = false } = {}): Promise<ConversationState> {
  return change(db, ref, async (tx) => {
    await changeConversation(tx, ref, {
      ...{ handler: { handler: 'bot', reason: 'handed back' }, waiting: null },
      ignoresOlderMessages: !answersOld,
    })
    if (!answersOld) return
    await dropTurn(tx, ref)
    await oweOldAnswer(tx, ref)
  })
}

/** The bot never writes to this contact until the conversation is handed back to it. */
export async function switchOff(db: Db, ref: ConversationRef): Promise<ConversationState> {
  return change(db, ref, (tx) => silenceBot(tx, ref, { handler: { handler: 'off', reason: 'switched off' } }))
}

/** Checks the contact id that an operator or a caller gave. */
export function conversationOf(accountId: AccountId, contactId: string): ConversationRef {
  if (isId('con', contactId)) return { accountId, contactId }
  throw new Refusal('CONTACT_NOT_FOUND', `${contactId} is not the id of a contact; ids begin with con_.`)
}

function checkText(body: string): void {
  checkBody(body, 'The text')
  if (!isVisible(body)) throw new Refusal('INVALID_REQUEST', 'The text must not be empty.')
}

async function silenceBot(tx: Tx, ref: ConversationRef, change: ConversationChange): Promise<void> {
  await changeConversation(tx, ref, { ...change, waiting: null })
  await applyPendingOptOut(tx, ref)
  await dropTurn(tx, ref)
}

async function change(db: Db, ref: ConversationRef, work: (tx: Tx) => Promise<void>): Promise<ConversationState> {
  await externalIdOf(db, ref)
  return inConversation(db, ref, async (tx) => {
    await work(tx)
    return readState(tx, ref)
  })
}

/**
 * Locks contact, then conversation, as everything that changes who answers does. Workers are notified, so that they
 * abort the answer they may be generating.
 */
async function inConversation<Value>(db: Db, ref: ConversationRef, work: (tx: Tx) => Promise<Value>): Promise<Value> {
  const value = await withLockTimeout(db, async (tx) => {
    await lockIdentifiers(tx, ref)
    await lockConversation(tx, ref)
    return work(tx)
  })
  await notifyWorkers(db, 'bot')
  return value
}

async function externalIdOf(db: Db, ref: ConversationRef): Promise<string> {
  const externalId = await findExternalId(db, ref)
  if (externalId !== undefined) return externalId
  throw new Refusal('CONTACT_NOT_FOUND', `There is no conversation with ${ref.contactId} in this account.`)
}
