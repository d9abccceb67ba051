import type { Dispatcher } from '../../outbox/dispatcher.ts'
import { messageWebhook } from '../../outbox/receivers.ts'
import { contactKey } from '../../people/contacts/find-or-create.ts'
import type { KnownContacts } from '../../people/contacts/known-contacts.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { Pools } from '../../platform/database/pools.ts'
import { openGroupCommit } from '../../platform/group-commit/group-commit.ts'
import { writeMissing } from '../../platform/group-commit/write-missing.ts'
import {
  type AccountId,
  type BroadcastId,
  type ContactId,
  type MessageId,
  newId,
  type UserId,
} from '../../platform/ids.ts'
import type { CommitMeter } from '../../platform/metrics/instruments.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { openKeepOutgoing } from './keep-outgoing.ts'
import { findOutgoing, type KeptOutgoing, keepAllWithin, keepOutgoingWithin, type OutgoingRow } from './store.ts'

export type Outgoing = {
  accountId: AccountId
  /** The contact's id on the external platform. */
  toId: string
  author: 'bot' | 'person' | 'api'
  /** The user of the app who wrote it. */
  userId?: UserId | undefined
  body: string
  channel?: string | undefined
  campaignId?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  email?: string | undefined
  /** The `traceparent` of the request that it was sent by, or that it answers. */
  trace?: string | undefined
  broadcastId?: BroadcastId | undefined
}

export type SentMessage = { messageId: MessageId; contactId: ContactId }

/**
 * The only way to send a message. Stores the message and the event that delivers it in one transaction: no message is
 * stored without its delivery, and no delivery without its message.
 */
export type Send = {
  /** Sends in a group commit, together with other messages sent at the same time. */
  now: (outgoing: Outgoing) => Promise<SentMessage>
  /** Must be called after a transaction that used `sendWithin` has committed. */
  wake: () => void
}

type SendCtx = {
  pools: Pools
  dispatcher: Dispatcher
  hint: Hint
  known: KnownContacts
  meter?: CommitMeter
}

export function openSend({ pools, dispatcher, hint, known, meter }: SendCtx): Send {
  const keepOutgoing = openKeepOutgoing(known)
  const write = (rows: OutgoingRow[]) => keepOutgoing(pools.batch, rows)
  const keep = openGroupCommit(write, {
    lockOf: contactKey,
    ownerOf: ({ accountId }) => accountId,
    writeWithLockWait: (owner, rows) => pools.withLockWait(owner, (pool) => keepOutgoing(pool, rows)),
    writeAgain: (rows) => writeMissing(rows, (asked) => findOutgoing(pools.batch, asked), write),
    meter,
  })

  async function now(outgoing: Outgoing): Promise<SentMessage> {
    const receiver = { accountId: outgoing.accountId, receiverId: messageWebhook }
    const token = dispatcher.reserve(receiver)
    const row = rowOf(outgoing, token)
    const { messageId, contactId, leased } = await keep(row).catch((error) => {
      if (token !== undefined) dispatcher.giveBack(token)
      throw error
    })
    if (leased) dispatcher.take(leased)
    else {
      if (token !== undefined) dispatcher.giveBack(token)
      dispatcher.wake(receiver)
    }
    hint(outgoing.accountId, contactId)
    if (contactId === row.contactId) hint(outgoing.accountId, 'contacts') // a new one
    return { messageId, contactId }
  }

  return { now, wake: () => dispatcher.wake() }
}

/** Sends a message as part of a transaction. After it has committed, call `Send.wake`. */
export async function sendWithin(tx: Tx, outgoing: Outgoing): Promise<SentMessage> {
  const row = rowOf(outgoing, undefined)
  // The first statement waited for another transaction that was making the same contact; the second finds the contact.
  const kept = (await keepOutgoingWithin(tx, row)) ?? (await keepOutgoingWithin(tx, row))
  if (!kept) throw new Error('a contact was made and erased while a message to it was kept')
  return { messageId: kept.messageId, contactId: kept.contactId }
}

/**
 * Sends several messages of one account as part of a transaction, which must have locked their contacts: so each of
 * them is there. Results in the order given. `tokens`: of reserved leases, as far as there are any. After the commit,
 * pass what is leased to the dispatcher, and wake it if something is not.
 */
export async function sendAllWithin(tx: Tx, outgoing: Outgoing[], tokens: string[]): Promise<KeptOutgoing[]> {
  const rows = outgoing.map((one, at) => rowOf(one, tokens[at]))
  const kept = await keepAllWithin(tx, rows)
  return kept.map((one) => {
    if (!one) throw new Error('a contact was erased while it was locked')
    return one
  })
}

function rowOf(outgoing: Outgoing, token: string | undefined): OutgoingRow {
  const { accountId, toId: fromId, author, userId, body, channel } = outgoing
  const { campaignId, firstName, lastName, email, trace, broadcastId } = outgoing
  const messageId = newId('msg')
  const contactId: ContactId = `con_${messageId.slice('msg_'.length)}` // as unique, at half the cost of a second id
  const details = { channel, campaignId, firstName, lastName, email, trace, broadcastId }
  return { accountId, messageId, contactId, fromId, author, userId, body, token, ...details }
}
