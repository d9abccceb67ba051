import { contactKey } from '../contacts/find-or-create.ts'
import type { Dispatcher } from '../outbox/dispatcher.ts'
import type { Tx } from '../platform/database/db.ts'
import type { Pools } from '../platform/database/pools.ts'
import { openGroupCommit } from '../platform/group-commit/group-commit.ts'
import { writeMissing } from '../platform/group-commit/write-missing.ts'
import { type AccountId, type ContactId, type MessageId, newId } from '../platform/ids.ts'
import { findOutgoing, keepOutgoing, keepOutgoingWithin, type OutgoingRow } from './store.ts'

export type Outgoing = {
  accountId: AccountId
  /** The contact's id on the external platform. */
  toId: string
  author: 'bot' | 'person' | 'api'
  body: string
  channel?: string | undefined
  campaignId?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  email?: string | undefined
}

export type Sent = { messageId: MessageId; contactId: ContactId }

/**
 * The only way out. Keeps the message and the event that must carry it to the other side, together: there is no message
 * that nobody will deliver, and no delivery of a message that was never kept.
 */
export type Send = {
  /** LimitPerOwner its commit with others that are sent at the moment. */
  now: (outgoing: Outgoing) => Promise<Sent>
  /** To be called when a transaction has committed that has used `sendWithin`. */
  wake: () => void
}

export function openSend(pools: Pools, dispatcher: Dispatcher): Send {
  const write = (rows: OutgoingRow[]) => keepOutgoing(pools.batch, rows)
  const keep = openGroupCommit(write, {
    lockOf: contactKey,
    ownerOf: ({ accountId }) => accountId,
    writeWithLockWait: (owner, rows) => pools.withLockWait(owner, (pool) => keepOutgoing(pool, rows)),
    writeAgain: (rows) => writeMissing(rows, (asked) => findOutgoing(pools.batch, asked), write),
  })

  async function now(outgoing: Outgoing): Promise<Sent> {
    const token = dispatcher.reserve(outgoing.accountId, 'reply')
    const { messageId, contactId, leased } = await keep(rowOf(outgoing, token)).catch((error) => {
      if (token !== undefined) dispatcher.giveBack(token)
      throw error
    })
    if (leased) dispatcher.take(leased)
    else {
      if (token !== undefined) dispatcher.giveBack(token)
      dispatcher.wake({ accountId: outgoing.accountId, kind: 'reply' })
    }
    return { messageId, contactId }
  }

  return { now, wake: () => dispatcher.wake() }
}

/** The same as part of a transaction. Once it has committed, the delivery must be woken. */
export async function sendWithin(tx: Tx, outgoing: Outgoing): Promise<Sent> {
  const row = rowOf(outgoing, undefined)
  // The first look waited for whoever was making the same contact; the second finds it.
  const kept = (await keepOutgoingWithin(tx, row)) ?? (await keepOutgoingWithin(tx, row))
  if (!kept) throw new Error('a contact was made and erased while a message to it was kept')
  return { messageId: kept.messageId, contactId: kept.contactId }
}

function rowOf(outgoing: Outgoing, token: string | undefined): OutgoingRow {
  const { accountId, toId: fromId, author, body, channel, campaignId, firstName, lastName, email } = outgoing
  const messageId = newId('msg')
  const contactId: ContactId = `con_${messageId.slice('msg_'.length)}` // as unique, and half the work of another one
  const said = { channel, campaignId, firstName, lastName, email }
  return { accountId, messageId, contactId, fromId, author, body, token, ...said }
}
