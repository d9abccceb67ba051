import { readConsent } from '../../answers/engines/intents/read-intent.ts'
import type { Caller } from '../../business/accounts/key-lookup.ts'
import { contactKey } from '../../people/contacts/find-or-create.ts'
import type { KnownContacts } from '../../people/contacts/known-contacts.ts'
import type { Db } from '../../platform/database/db.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import type { Pools } from '../../platform/database/pools.ts'
import { openGroupCommit } from '../../platform/group-commit/group-commit.ts'
import { type MessageId, newId } from '../../platform/ids.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import type { Incoming } from './incoming.ts'
import { openKeepMessages } from './keep-messages.ts'
import { keepWithMedia } from './keep-with-media.ts'
import type { IncomingRow, KeepResult } from './store.ts'

/**
 * Returns the id of the message, once it is committed. `botActive`: whether the account's bot answers. `trace`: the
 * `traceparent` of the request, which the answer carries on.
 */
export type Receive = (
  caller: Pick<Caller, 'accountId' | 'botActive'>,
  message: Incoming,
  trace?: string,
) => Promise<MessageId>

type ReceiveCtx = {
  db: Db
  share: FairShare
  pools: Pools
  hint: Hint
  known: KnownContacts
  instruments: Pick<Instruments, 'incoming' | 'commits'>
}

/**
 * Receives messages from external systems, each exactly once.
 *
 * Contact, message and the turn that owes its answer commit together before the promise resolves, so a crash leaves all
 * of them or none. A repeated `messageSid` gets the first message's id and changes nothing; a copy that arrives while
 * the first is being stored shares its outcome.
 */
export function openReceive({ db, share, pools, hint, known, instruments }: ReceiveCtx): Receive {
  const keepMessages = openKeepMessages(known)
  const write = (rows: IncomingRow[]) => keepMessages(pools.batch, rows)
  const keep = openGroupCommit(write, {
    lockOf: contactKey,
    ownerOf: ({ accountId }) => accountId,
    writeWithLockWait: (owner, rows) => pools.withLockWait(owner, (pool) => keepMessages(pool, rows)),
    writeAgain: write, // a message that was stored before is found by its messageSid
    meter: instruments.commits.incoming,
  })
  const inFlight = new Map<string, Promise<KeepResult>>()

  return async (caller, message, trace) => {
    const row = rowOf(caller, message, trace)
    const name = `${row.accountId} ${row.messageSid}`
    const first = inFlight.get(name)
    if (first) {
      const { id } = await first
      instruments.incoming.add('copy')
      return id
    }
    const kept = message.file ? keepWithMedia({ db, share }, row, message.file) : keep(row)
    inFlight.set(name, kept)
    try {
      const { id, contactId } = await kept
      instruments.incoming.add(contactId === undefined ? 'copy' : 'kept')
      if (contactId !== undefined) hint(row.accountId, contactId)
      if (contactId === row.contactId) hint(row.accountId, 'contacts') // a new one
      return id
    } finally {
      inFlight.delete(name)
    }
  }
}

/** Copies field by field: a spread of the message cost a tenth of everything that Node does for it. */
function rowOf(
  { accountId, botActive }: Parameters<Receive>[0],
  { sender, messageSid, toId, body, status, kind, channel, campaignId }: Incoming,
  trace: string | undefined,
): IncomingRow {
  const { externalId, firstName, lastName, email } = sender
  const messageId = newId('msg')
  return {
    accountId,
    messageId,
    contactId: `con_${messageId.slice('msg_'.length)}`, // as unique, at half the cost of a second id
    messageSid,
    fromId: externalId,
    toId,
    body,
    status,
    kind,
    channel,
    campaignId,
    firstName,
    lastName,
    email,
    // An opt-out or opt-in is processed even where the bot is off.
    owesAnswer: kind === 'text' && (botActive || readConsent(body, []) !== undefined),
    trace,
  }
}
