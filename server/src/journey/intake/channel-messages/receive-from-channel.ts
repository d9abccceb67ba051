import { readConsent } from '../../../answers/engines/intents/read-intent.ts'
import {
  attachAddresses,
  fillNames,
  findByAddress,
  insertAddressed,
  keepFromErasure,
} from '../../../people/contacts/addresses/address-store.ts'
import { findByAnyPhone } from '../../../people/contacts/addresses/phone-address-store.ts'
import { recognizeOptOut } from '../../../people/contacts/opt-out.ts'
import { lockIdentifiers } from '../../../people/contacts/opt-out-store.ts'
import { parsePhone } from '../../../people/contacts/phone.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { hasSqlState } from '../../../platform/database/errors.ts'
import type { FairShare } from '../../../platform/database/fair-share.ts'
import { retryConflicts, retryOnLostConnection } from '../../../platform/database/retry.ts'
import { type AccountId, type ContactId, type MessageId, newId } from '../../../platform/ids.ts'
import type { Instruments } from '../../../platform/metrics/instruments.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { noteEvent } from '../../conversations/conversation-store.ts'
import { findKept } from '../store.ts'
import { obeyStopWord } from './stop-word.ts'
import type { ChannelMessage } from './store.ts'
import {
  answerFree,
  insertDetails,
  insertMessage,
  insertReference,
  isBotActive,
  noteInbound,
  oweAnswer,
  takeBackReactions,
} from './store.ts'

/** Returns the id of the message, once it is committed; that of the first one, where it is a copy. */
export type ReceiveFromChannel = (message: ChannelMessage) => Promise<{ messageId: MessageId; isCopy: boolean }>

type Ctx = Readonly<{
  db: Db
  share: FairShare
  secretKey: Buffer
  hint: Hint
  instruments: Pick<Instruments, 'incoming'>
}>

/** People send a file and then explain it. */
const afterFileMs = 2_000

/**
 * Receives messages of built-in channels, each exactly once. Who wrote is found by the addresses on the channel, or is a new
 * contact; contact, message, what is known of it and the turn that owes its answer commit together. A transaction for each
 * message: providers send one after another, and a person writes a few in a minute.
 */
export function openReceiveFromChannel({ db, share, secretKey, hint, instruments }: Ctx): ReceiveFromChannel {
  return async (message) => {
    const { accountId } = message
    const keep = () => share(accountId, () => retryOnLostConnection(() => retryConflicts(attempt)))
    const attempt = async (): Promise<Outcome | undefined> => {
      const first = await findKept(db, message)
      if (first) return { messageId: first.id, isCopy: true }
      return db
        .transaction()
        .execute((tx) => keepMessage(tx, secretKey, message))
        .catch(undefinedIfAgain)
    }
    const outcome = await keep()
    instruments.incoming.add(outcome.isCopy ? 'copy' : 'kept')
    if (!outcome.isCopy) hint(accountId, outcome.contactId)
    if (!outcome.isCopy && outcome.isNew) hint(accountId, 'contacts')
    return outcome
  }
}

type Outcome =
  | { messageId: MessageId; isCopy: true }
  | { messageId: MessageId; isCopy: false; contactId: ContactId; isNew: boolean }

/** Thrown to undo what was written: the next attempt finds what another transaction wrote meanwhile. */
class Again extends Error {}

/** 23503: the contact was erased since it was found. */
function undefinedIfAgain(error: unknown): undefined {
  if (error instanceof Again || hasSqlState(error, '23503')) return undefined
  throw error
}

async function keepMessage(tx: Tx, secretKey: Buffer, message: ChannelMessage): Promise<Outcome> {
  const { accountId, file, replyTo, at, kind, also, isFreeOnly } = message
  const { contactId, isNew } = await findOrMake(tx, secretKey, message)
  const stored = { accountId, contactId, messageId: newId('msg') }
  const { stop } = message
  const identifiers = stop && (await lockIdentifiers(tx, stored)) // before the conversation
  const kept = await insertMessage(tx, stored, message)
  if (!kept) throw new Again() // another process has stored it at this moment
  if (await noteInbound(tx, stored, message)) await noteEvent(tx, stored, { kind: 'unblocked', userId: null })
  await insertDetails(tx, stored, message)
  if (file) await insertReference(tx, stored, file)
  if (kind === 'reaction' && replyTo !== null) {
    await takeBackReactions(tx, stored, { replyTo, except: stored.messageId, at })
  }
  await also?.whenKept(tx, stored)
  const contact = identifiers && { accountId, contactId, ...identifiers }
  const said = stop && contact && { contact, seq: BigInt(kept.seq), message: { ...message, stop } }
  const isObeyed = said ? await obeyStopWord({ tx, secretKey }, said) : false
  if (!isObeyed && (await isOwed(tx, message)))
    await oweAnswer(tx, stored, { ...kept, leastMs: file ? afterFileMs : 0 })
  if (isFreeOnly) await answerFree(tx, stored)
  return { messageId: stored.messageId, isCopy: false, contactId, isNew }
}

/** An opt-out or opt-in is processed even where the bot is off. */
async function isOwed(tx: Tx, { accountId, mayBeAnswered, kind, body }: ChannelMessage): Promise<boolean> {
  if (!mayBeAnswered || kind !== 'text') return false
  return readConsent(body, []) !== undefined || isBotActive(tx, accountId)
}

type Found = { contactId: ContactId; isNew: boolean }

/** By an address on the channel; by a phone number, which the provider has verified; else they are new. */
async function findOrMake(tx: Tx, secretKey: Buffer, message: ChannelMessage): Promise<Found> {
  const { accountId, channelId, addresses, names, also } = message
  const on = { accountId, channelId }
  const known = await findByAddress(tx, on, addresses)
  if (known !== undefined) {
    await useKnown(tx, { accountId, contactId: known }, names)
    // They may have written from another variant of their number.
    if (phoneOf(addresses) !== undefined) await attachAddresses(tx, { ...on, contactId: known }, addresses)
    return { contactId: known, isNew: false }
  }
  const phone = phoneOf(addresses)
  const withPhone = phone && (await findByAnyPhone(tx, accountId, phone))
  if (withPhone) {
    await useKnown(tx, { accountId, contactId: withPhone }, names)
    if (!(await attachAddresses(tx, { ...on, contactId: withPhone }, addresses))) throw new Again()
    return { contactId: withPhone, isNew: false }
  }
  await also?.whenNew(tx)
  const contactId = newId('con')
  const isMade = await insertAddressed(tx, { accountId, contactId }, { ...names, phone: phone ?? null })
  if (!isMade || !(await attachAddresses(tx, { ...on, contactId }, addresses))) throw new Again()
  await recognizeOptOut(tx, secretKey, { accountId, contactId })
  return { contactId, isNew: true }
}

async function useKnown(
  tx: Tx,
  ref: { accountId: AccountId; contactId: ContactId },
  names: ChannelMessage['names'],
): Promise<void> {
  if (!(await keepFromErasure(tx, ref))) throw new Again()
  await fillNames(tx, ref, names)
}

/** In the form in which phone numbers are kept. What is called by one and is none, such as a short code, is an address alone. */
function phoneOf(addresses: ChannelMessage['addresses']): string | undefined {
  const given = addresses.find(({ kind }) => kind === 'phone')
  return given && parsePhone(given.address)
}
