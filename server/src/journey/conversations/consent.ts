/** Opt-out and opt-in of a contact: by a word in their messages, or by an operator. */

import { allSettings } from '../../answers/campaigns/settings.ts'
import { listCampaigns } from '../../answers/campaigns/store.ts'
import { readConsent } from '../../answers/engines/intents/read-intent.ts'
import { endOptOut } from '../../people/contacts/opt-out.ts'
import { type Identifiers, lockIdentifiers, type OptedOutBy, writeOptOut } from '../../people/contacts/opt-out-store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import type { UserId } from '../../platform/ids.ts'
import { notifyWorkers } from '../../platform/notify/notify.ts'
import { Refusal } from '../../platform/refusal.ts'
import { invalidateAnswer, markConsentChecked, readUncheckedMessages } from './consent-store.ts'
import { type ConversationRef, lockConversation, noteEvent } from './conversation-store.ts'
import { dropTurn } from './drop-turn.ts'

/** The last opt-out (`stop`) or opt-in (`start`) that a contact asked for, and the sequence number of that message. */
export type ConsentRequest = { intent: 'stop' | 'start'; seq: bigint }

/** Checks each message by itself, and the last match wins; an opt-out may also be spread over all of them. */
export function findConsentRequest(
  messages: { seq: bigint; body: string }[],
  stopPhrases: string[],
): ConsentRequest | undefined {
  for (const { seq, body } of messages.toReversed()) {
    const intent = readConsent(body, stopPhrases)
    if (intent) return { intent, seq }
  }
  const last = messages.at(-1)
  const together = readConsent(messages.map(({ body }) => body).join('\n'), stopPhrases)
  return last && together === 'stop' ? { intent: together, seq: last.seq } : undefined
}

/** Opts the contact out or in. The caller has locked the contact and then the conversation. */
export async function applyConsent(
  { tx, secretKey }: { tx: Tx; secretKey: Buffer },
  contact: ConversationRef & Identifiers,
  { intent, seq }: ConsentRequest,
): Promise<void> {
  if (intent === 'stop') await writeOptOutAndNote(tx, contact, 'contact')
  else await endOptOutAndNote({ tx, secretKey }, contact)
  await markConsentChecked(tx, contact, seq)
}

/** Applies an opt-out from messages that the bot will not answer any more: dropping their turn must not lose it. */
export async function applyPendingOptOut(tx: Tx, ref: ConversationRef): Promise<void> {
  const optOut = await findPendingOptOut(tx, ref)
  if (!optOut) return
  await writeOptOutAndNote(tx, ref, 'contact')
  await markConsentChecked(tx, ref, optOut.seq)
}

/** The opt-out in messages that have not been checked yet, by the stop phrases of any live campaign. */
export async function findPendingOptOut(tx: Tx, ref: ConversationRef): Promise<ConsentRequest | undefined> {
  const unchecked = await readUncheckedMessages(tx, ref)
  if (unchecked.length === 0) return undefined
  const campaigns = await listCampaigns(tx, ref.accountId)
  const stopPhrases = campaigns
    .filter(({ status }) => status === 'live')
    .flatMap(({ settings }) => allSettings(settings).stopPhrases)
  const request = findConsentRequest(unchecked, stopPhrases)
  return request?.intent === 'stop' ? request : undefined
}

export type OptOutState = { optedOut: boolean; optedOutBy: OptedOutBy | null }

/** An operator opts a contact out: neither the bot nor a list writes to them until the opt-out ends. */
export async function optOut(db: Db, ref: ConversationRef): Promise<OptOutState> {
  return changeConsent(db, ref, async (tx) => {
    await writeOptOutAndNote(tx, ref, 'operator')
    return { optedOut: true, optedOutBy: 'operator' }
  })
}

/** An operator ends an opt-out, whoever had set it. */
export async function optIn(
  { db, secretKey }: { db: Db; secretKey: Buffer },
  ref: ConversationRef,
  userId?: UserId,
): Promise<OptOutState> {
  return changeConsent(db, ref, async (tx, identifiers) => {
    await endOptOutAndNote({ tx, secretKey }, { ...ref, ...identifiers }, userId)
    return { optedOut: false, optedOutBy: null }
  })
}

async function writeOptOutAndNote(tx: Tx, ref: ConversationRef, by: OptedOutBy): Promise<void> {
  if (await writeOptOut(tx, ref, by)) await noteEvent(tx, ref, { kind: 'opted out', userId: null })
}

async function endOptOutAndNote(
  { tx, secretKey }: { tx: Tx; secretKey: Buffer },
  contact: ConversationRef & Identifiers,
  userId: UserId | null = null,
): Promise<void> {
  if (await endOptOut(tx, secretKey, contact)) await noteEvent(tx, contact, { kind: 'opted in', userId })
}

type ConsentChange = (tx: Tx, identifiers: Identifiers) => Promise<OptOutState>

/** Overrides what earlier messages asked for. An answer that is being generated at this moment is never sent. */
async function changeConsent(db: Db, ref: ConversationRef, change: ConsentChange): Promise<OptOutState> {
  const state = await withLockTimeout(db, async (tx) => {
    const identifiers = await lockIdentifiers(tx, ref)
    if (!identifiers) throw new Refusal('CONTACT_NOT_FOUND', `There is no contact ${ref.contactId} in this account.`)
    const state = await change(tx, identifiers)
    if (!(await lockConversation(tx, ref))) return state
    await markConsentChecked(tx, ref)
    await invalidateAnswer(tx, ref)
    if (state.optedOut) await dropTurn(tx, ref)
    return state
  })
  await notifyWorkers(db, 'bot')
  return state
}
