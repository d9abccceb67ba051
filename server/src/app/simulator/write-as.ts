import type { ConversationRef } from '../../journey/conversations/conversation-store.ts'
import type { Incoming } from '../../journey/intake/incoming.ts'
import type { Receive } from '../../journey/intake/receive.ts'
import type { Db } from '../../platform/database/db.ts'
import { newId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findSimulated, insertIncoming, type SimulatedContact } from './simulator-store.ts'

export async function requireSimulated(db: Db, ref: ConversationRef): Promise<SimulatedContact> {
  const contact = await findSimulated(db, ref)
  if (!contact) throw new Refusal('CONTACT_NOT_FOUND', 'There is no such simulated contact.')
  return contact
}

/** Receives a message of a simulated contact on the way that every message takes; twice with the same `messageSid` if asked. */
export async function writeAs(
  { db, receive }: { db: Db; receive: Receive },
  ref: ConversationRef,
  { body, twice = false, kind = 'text' }: { body: string; twice?: boolean; kind?: 'text' | 'reaction' },
): Promise<{ messageId: string; copies: number }> {
  const { externalId, channel, botActive } = await requireSimulated(db, ref)
  const message: Incoming = {
    messageSid: newId('evt'),
    sender: { externalId, firstName: undefined, lastName: undefined, email: undefined },
    kind,
    body,
    toId: 'simulator',
    status: 'received',
    channel,
    campaignId: undefined,
    file: undefined,
  }
  let messageId = ''
  for (const event of twice ? (['incoming', 'incoming again'] as const) : (['incoming'] as const)) {
    const startedAt = performance.now()
    messageId = await receive({ accountId: ref.accountId, botActive }, message)
    const durationMs = Math.round(performance.now() - startedAt)
    await insertIncoming(db, ref, { kind: event, messageId, durationMs })
  }
  return { messageId, copies: twice ? 2 : 1 }
}
