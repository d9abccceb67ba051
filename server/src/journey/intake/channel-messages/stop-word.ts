import type { Identifiers } from '../../../people/contacts/opt-out-store.ts'
import type { Tx } from '../../../platform/database/db.ts'
import { applyConsent, type ConsentRequest } from '../../conversations/consent.ts'
import { invalidateAnswer, markConsentChecked } from '../../conversations/consent-store.ts'
import { type ConversationRef, noteEvent } from '../../conversations/conversation-store.ts'
import { lockStop, type Stop, writeStart, writeStop } from './stop-store.ts'
import type { ChannelMessage } from './store.ts'

/** A word with which somebody takes nothing more from a channel, or takes it again. */
export type StopWord = NonNullable<ChannelMessage['stop']>

type Said = { contact: ConversationRef & Identifiers; seq: bigint; message: ChannelMessage & { stop: StopWord } }

/**
 * Writes down what a word says that stops a channel or starts it again, in the transaction that keeps the message: from its commit on,
 * whatever waits for them there is refused. The contact's own opt-out goes with it, and the words owe no answer: the provider gives one.
 * False: to them it was no such word, but a message like any other.
 *
 * The caller has locked the contact and then the conversation.
 */
export async function obeyStopWord(ctx: { tx: Tx; secretKey: Buffer }, said: Said): Promise<boolean> {
  const { tx } = ctx
  const { contact, seq, message } = said
  const on = { ...contact, channelId: message.channelId }
  // A clock that is ahead of ours must not outlast what they say next.
  const at = Math.min(message.at, Date.now())
  const effect = effectOf(message.stop, await lockStop(tx, on), at)
  if (effect === 'no word') return false
  if (effect === 'too late') await markConsentChecked(tx, contact, seq)
  else if (effect === 'start') {
    if (await writeStart(tx, on, at)) await noteEvent(tx, contact, { kind: 'unblocked', userId: null })
    await applyConsent(ctx, contact, { intent: 'start', seq } satisfies ConsentRequest)
  } else {
    if (await writeStop(tx, on, at)) await noteEvent(tx, contact, { kind: 'blocked', userId: null })
    await applyConsent(ctx, contact, { intent: 'stop', seq } satisfies ConsentRequest)
    await invalidateAnswer(tx, contact)
  }
  return true
}

/** What the word does: the later word counts, in whatever order they come. */
export function effectOf(
  word: StopWord,
  { stoppedAt, scope, startedAt }: Stop,
  at: number,
): 'stop' | 'start' | 'too late' | 'no word' {
  const isStopped = scope === 'all'
  if (word === 'stop') return startedAt !== null && startedAt.getTime() > at ? 'too late' : 'stop'
  if (word === 'start if stopped' && !isStopped) return 'no word'
  return isStopped && stoppedAt !== null && stoppedAt.getTime() > at ? 'too late' : 'start'
}
