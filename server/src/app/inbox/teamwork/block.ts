import type { ChannelKind } from '@patchbay/contract/channels.ts'
import { type By, noteAct } from '../../../business/audit/store.ts'
import { loadKind } from '../../../journey/channels/load-kind.ts'
import { applyPendingOptOut } from '../../../journey/conversations/consent.ts'
import {
  type ConversationRef,
  changeConversation,
  noteEvent,
} from '../../../journey/conversations/conversation-store.ts'
import { dropTurn } from '../../../journey/conversations/drop-turn.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type ChannelId, isId, type UserId } from '../../../platform/ids.ts'
import { notifyWorkers } from '../../../platform/notify/notify.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { findKnownOn, type KnownOn, writeBlock } from './block-store.ts'
import { inConversation } from './set-state.ts'

/** `channelId`: as somebody gave it. */
type OnChat = ConversationRef & { channelId: string }
type Doing = { channelId: string; userId: UserId; by: By }

/**
 * Closes the chat with a visitor of a website, until somebody opens it again: what they write is refused, nothing is sent to them, and
 * nobody waits. An answer that the bot is making is never sent. Blocked twice is blocked once.
 */
export async function blockVisitor(db: Db, ref: ConversationRef, doing: Doing): Promise<void> {
  await setBlocked(db, ref, doing, true)
  await notifyWorkers(db, 'bot')
}

/** They may write again, and be written to. */
export async function unblockVisitor(db: Db, ref: ConversationRef, doing: Doing): Promise<void> {
  await setBlocked(db, ref, doing, false)
}

async function setBlocked(
  db: Db,
  ref: ConversationRef,
  { channelId, userId, by }: Doing,
  isBlocked: boolean,
): Promise<void> {
  await inConversation(db, ref, async (tx) => {
    const known = await findChat(tx, { ...ref, channelId })
    if (!(await writeBlock(tx, { ...ref, channelId: known.channelId }, isBlocked))) return
    await noteEvent(tx, ref, { kind: isBlocked ? 'blocked' : 'unblocked', userId })
    const details = { contactId: ref.contactId, channel: known.name }
    await noteAct(tx, ref.accountId, { act: isBlocked ? 'contact blocked' : 'contact unblocked', ...by, details })
    if (!isBlocked || !known.isLast) return
    await applyPendingOptOut(tx, ref)
    await dropTurn(tx, ref)
    await changeConversation(tx, ref, { waiting: null })
  })
}

/** Whether somebody who writes to a visitor can be seen writing: not where nothing could be sent. */
export async function canBeSeenWriting(db: Db, chat: OnChat): Promise<boolean> {
  const known = await findChat(db, chat)
  return !known.isPaused && !known.isRemoved && !known.isClosed
}

/** Of a website chat alone we decide who is let in. */
async function findChat(db: Db, { channelId, ...ref }: OnChat): Promise<KnownOn & { channelId: ChannelId }> {
  const known = isId('chn', channelId) ? await findKnownOn(db, { ...ref, channelId }) : undefined
  if (!known || !isId('chn', channelId)) {
    throw new Refusal('NOT_FOUND', `There is no conversation with ${ref.contactId}, or no channel ${channelId}.`)
  }
  const kind = await loadKind(known.kind as ChannelKind) // as `channels` has it
  if (kind.leaves === 'when stored' && known.hasWritten) return { ...known, channelId }
  throw new Refusal('CONFLICT', 'This contact has not written over that channel, or it is no website chat.')
}
