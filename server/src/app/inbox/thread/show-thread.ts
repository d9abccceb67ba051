import type { Message, ThreadPage, ThreadQuery } from '@patchbay/contract/app/messages.ts'
import type { Static } from 'typebox'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import { type ConversationRef, noConversation } from '../../../journey/conversations/conversation-store.ts'
import { isPicture } from '../../../journey/media/content-type.ts'
import { findChannels, type ShownChannel } from '../../../people/contacts/channel-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, MessageId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { readNotes } from '../teamwork/note-store.ts'
import { showNote } from '../teamwork/notes.ts'
import {
  findMessage,
  findRemovedBefore,
  hasConversation,
  readEvents,
  readMessages,
  type ThreadMessage,
} from './thread-store.ts'

/** `maxAttempts`: how often a delivery is tried before it is given up. */
type Ctx = { db: Db; maxAttempts: number }

const defaultLimit = 50

/** A page of a conversation, oldest message first, with the events between its messages. */
export async function showThread(
  { db, maxAttempts }: Ctx,
  ref: ConversationRef,
  { before, limit }: Static<typeof ThreadQuery>,
): Promise<Sendable<Static<typeof ThreadPage>>> {
  const most = limit === undefined ? defaultLimit : Number(limit)
  const found = await readMessages(db, ref, { before, limit: most + 1 })
  if (found.length === 0 && !(await hasConversation(db, ref))) throw noConversation(ref)
  const rows = found.slice(0, most).reverse()
  const first = found.length > most ? rows[0]?.seq : undefined
  const isCut = first === undefined && rows[0]?.seq !== '1'
  const events = await readEvents(db, ref, { from: first, before })
  const notes = await readNotes(db, ref, { from: first, before })
  const labels = rows.map(({ channel }) => channel)
  const channelOf = await findChannels(db, ref.accountId, labels)
  return {
    messages: rows.map((row) => showMessage(row, { channelOf, maxAttempts })),
    events: events.map(({ seq, ...event }) => ({ ...event, seq: Number(seq) })),
    notes: notes.map(showNote),
    older: first === undefined ? null : Number(first),
    removedBefore: isCut ? await findRemovedBefore(db, ref) : null,
  }
}

/** One message as the thread shows it. */
export async function showOne(
  { db, maxAttempts }: Ctx,
  accountId: AccountId,
  messageId: MessageId,
): Promise<Sendable<Message>> {
  const row = await findMessage(db, accountId, messageId)
  if (!row) throw new Refusal('NOT_FOUND', `There is no message ${messageId} in this account.`)
  const channelOf = await findChannels(db, accountId, [row.channel])
  return showMessage(row, { channelOf, maxAttempts })
}

type ShowOptions = { channelOf: (label: string) => ShownChannel; maxAttempts: number }

function showMessage(row: ThreadMessage, { channelOf, maxAttempts }: ShowOptions): Sendable<Message> {
  const { id, contactId, direction, author, userId, userName, kind, body, createdAt } = row
  return {
    id,
    contactId,
    direction,
    author,
    userId,
    userName,
    kind,
    body,
    createdAt,
    seq: Number(row.seq),
    channel: channelOf(row.channel),
    delivery: direction === 'outgoing' ? deliveryOf(row, maxAttempts) : null,
    file: fileOf(row),
    broadcast: row.broadcastId && { id: row.broadcastId, name: row.broadcastName ?? '' },
    hasAnswer: author === 'bot', // every reply of the bot is stored together with its decision
  }
}

function deliveryOf(row: ThreadMessage, maxAttempts: number): Sendable<Message>['delivery'] {
  const { status, attempts, askedAttempts, isSending, sentAt, dueAt, category, httpStatus, detail } = row
  return {
    status,
    attempts,
    askedAttempts,
    maxAttempts,
    isSending,
    sentAt,
    nextAttemptAt: status === 'Sent' ? null : dueAt,
    fault: status === 'Failed' && category !== null ? { category, httpStatus, detail } : null,
  }
}

function fileOf({ fileState, contentType, sizeBytes }: ThreadMessage): Sendable<Message>['file'] {
  if (fileState === null || contentType === null) return null
  const isShown = fileState === 'stored' && isPicture(contentType)
  return { state: fileState, contentType, sizeBytes, isPicture: isShown }
}
