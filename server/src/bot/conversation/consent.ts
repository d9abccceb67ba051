import { allSettings } from '../../campaigns/settings.ts'
import { listCampaigns } from '../../campaigns/store.ts'
import { endOptOut } from '../../contacts/opt-out.ts'
import { type Identifiers, lockIdentifiers, type OptedOutBy, writeOptOut } from '../../contacts/opt-out-store.ts'
import { readConsent } from '../../engines/intents/read-intent.ts'
import { withBriefLocks } from '../../platform/database/brief-locks.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { notifyWorkers } from '../../work/notify.ts'
import { disownAnswer, noteHeard, readUnheard } from './consent-store.ts'
import { type ConversationRef, lockConversation } from './conversation-store.ts'
import { dropTurn } from './drop-turn.ts'

/** What a contact said last about being written to, and in which message. */
export type Heard = { intent: 'stop' | 'start'; seq: bigint }

/** Each message counts by itself, the last word wins; and a intent may be spread over all of them. */
export function hearConsent(messages: { seq: bigint; body: string }[], stopPhrases: string[]): Heard | undefined {
  for (const { seq, body } of messages.toReversed()) {
    const intent = readConsent(body, stopPhrases)
    if (intent) return { intent, seq }
  }
  const last = messages.at(-1)
  const together = readConsent(messages.map(({ body }) => body).join('\n'), stopPhrases)
  return last && together === 'stop' ? { intent: together, seq: last.seq } : undefined
}

/** Does what they said; the contact must be locked, and then the conversation. */
export async function applyConsent(
  { tx, secretKey }: { tx: Tx; secretKey: Buffer },
  contact: ConversationRef & Identifiers,
  { intent, seq }: Heard,
): Promise<void> {
  if (intent === 'stop') await writeOptOut(tx, contact, 'contact')
  else await endOptOut(tx, secretKey, contact)
  await noteHeard(tx, contact, seq)
}

/** What the bot need not answer any more may still say that they want no messages. */
export async function hearBeforeDrop(tx: Tx, ref: ConversationRef): Promise<void> {
  const heard = await hearStop(tx, ref)
  if (!heard) return
  await writeOptOut(tx, ref, 'contact')
  await noteHeard(tx, ref, heard.seq)
}

/** Whether something that nobody has looked at yet says that they want no messages, in the words of any campaign. */
export async function hearStop(tx: Tx, ref: ConversationRef): Promise<Heard | undefined> {
  const unheard = await readUnheard(tx, ref)
  if (unheard.length === 0) return undefined
  const campaigns = await listCampaigns(tx, ref.accountId)
  const stopPhrases = campaigns
    .filter(({ status }) => status === 'live')
    .flatMap(({ settings }) => allSettings(settings).stopPhrases)
  const heard = hearConsent(unheard, stopPhrases)
  return heard?.intent === 'stop' ? heard : undefined
}

export type OptOutState = { optedOut: boolean; optedOutBy: OptedOutBy | null }

/** Somebody of ours decides that a contact is not written to by the bot or a list, until that is ended. */
export async function optOut(db: Db, ref: ConversationRef): Promise<OptOutState> {
  return decideFor(db, ref, async (tx) => {
    await writeOptOut(tx, ref, 'operator')
    return { optedOut: true, optedOutBy: 'operator' }
  })
}

/** Somebody of ours decides that they may be written to again, whoever had said that they may not. */
export async function optIn(db: Db, secretKey: Buffer, ref: ConversationRef): Promise<OptOutState> {
  return decideFor(db, ref, async (tx, known) => {
    await endOptOut(tx, secretKey, { ...ref, ...known })
    return { optedOut: false, optedOutBy: null }
  })
}

type Act = (tx: Tx, known: Identifiers) => Promise<OptOutState>

/** What they wrote before is heard by this; an answer that is thought out at the moment is never sent. */
async function decideFor(db: Db, ref: ConversationRef, act: Act): Promise<OptOutState> {
  const state = await withBriefLocks(db, async (tx) => {
    const known = await lockIdentifiers(tx, ref)
    if (!known) throw new Refusal('CONTACT_NOT_FOUND', `There is no contact ${ref.contactId} in this account.`)
    const state = await act(tx, known)
    if (!(await lockConversation(tx, ref))) return state
    await noteHeard(tx, ref)
    await disownAnswer(tx, ref)
    if (state.optedOut) await dropTurn(tx, ref)
    return state
  })
  await notifyWorkers(db, 'bot')
  return state
}
