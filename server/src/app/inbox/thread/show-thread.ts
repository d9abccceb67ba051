import type { Message, MessageDetails, ThreadPage, ThreadQuery } from '@patchbay/contract/app/messages.ts'
import type { ChannelKind } from '@patchbay/contract/channels.ts'
import type { Static } from 'typebox'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import { loadKind } from '../../../journey/channels/load-kind.ts'
import { type ConversationRef, noConversation } from '../../../journey/conversations/conversation-store.ts'
import { isPicture } from '../../../journey/media/content-type.ts'
import { findChannels, readSettings, type ShownChannel } from '../../../people/contacts/channel-store.ts'
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
  type StoredDetails,
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
  const known = await readKnown(db, ref.accountId, rows)
  return {
    messages: rows.map((row) => showMessage(row, { ...known, maxAttempts })),
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
  return showMessage(row, { ...(await readKnown(db, accountId, [row])), maxAttempts })
}

/** What is known of the channels of these messages. */
async function readKnown(
  db: Db,
  accountId: AccountId,
  rows: ThreadMessage[],
): Promise<Pick<ShowOptions, 'channelOf' | 'tells' | 'isOurs'>> {
  const labels = rows.map(({ channel }) => channel)
  const channelOf = await findChannels(db, accountId, labels)
  const tells = await findKindsThatTell(labels.map(channelOf))
  const withPage = rows.filter(({ details }) => details?.data.page !== undefined).map(({ channel }) => channel)
  return { channelOf, tells, isOurs: await openIsOurs(db, accountId, withPage.map(channelOf)) }
}

/** Whether a page is one of those that a channel is on by its owner's word. */
async function openIsOurs(db: Db, accountId: AccountId, channels: ShownChannel[]): Promise<ShowOptions['isOurs']> {
  if (channels.length === 0) return () => false
  const settings = await readSettings(
    db,
    accountId,
    channels.map(({ label }) => label),
  )
  const names = [...new Set(channels.map(({ kind }) => kind))].filter((kind) => kind !== null)
  const kinds = new Map((await Promise.all(names.map(loadKind))).map((kind) => [kind.name, kind]))
  return ({ label, kind: name }, page) => {
    const kind = name === null ? undefined : kinds.get(name)
    return kind?.leaves === 'when stored' && settings.has(label) && kind.isOurs(page, settings.get(label))
  }
}

/** Those of these channels that tell later what became of a message. */
async function findKindsThatTell(channels: ShownChannel[]): Promise<ReadonlySet<ChannelKind>> {
  const names = [...new Set(channels.map(({ kind }) => kind))].filter((kind) => kind !== null)
  const kinds = await Promise.all(names.map(loadKind))
  return new Set(kinds.filter(({ receipts }) => receipts).map(({ name }) => name))
}

type ShowOptions = {
  channelOf: (label: string) => ShownChannel
  maxAttempts: number
  tells: ReadonlySet<ChannelKind>
  isOurs: (channel: ShownChannel, page: string) => boolean
}

function showMessage(row: ThreadMessage, options: ShowOptions): Sendable<Message> {
  const { id, contactId, direction, author, userId, userName, kind, createdAt } = row
  const channel = options.channelOf(row.channel)
  const details = row.details && showDetails(row.details, row, (page) => options.isOurs(channel, page))
  return {
    id,
    contactId,
    direction,
    author,
    userId,
    userName,
    kind,
    body: bodyOf(row),
    createdAt,
    seq: Number(row.seq),
    channel,
    delivery: direction === 'outgoing' ? deliveryOf(row, channel, options) : null,
    file: row.details?.removedAt ? null : fileOf(row),
    broadcast: row.broadcastId && { id: row.broadcastId, name: row.broadcastName ?? '' },
    hasAnswer: author === 'bot', // every reply of the bot is stored together with its decision
    details,
  }
}

/** As it is now: nothing of what was taken back is shown. */
function bodyOf({ body, details }: ThreadMessage): string {
  return details?.removedAt ? '' : (details?.editedBody ?? body)
}

function showDetails(
  details: StoredDetails,
  { body }: ThreadMessage,
  isOurs: (page: string) => boolean,
): MessageDetails {
  const { providerAt, editedBody, editedAt, removedAt, data, replyTo, quoted } = details
  const known = { writtenAt: timeOf(providerAt), takenBackAt: timeOf(removedAt) }
  if (removedAt !== null) return { ...nothing, ...known }
  const { choice = null, described = null, place = null, page, language = null, signed } = data
  return {
    ...known,
    edited: editedAt === null || editedBody === null ? null : { at: new Date(editedAt).toISOString(), before: body },
    replyTo: replyTo === null ? null : (quoted ?? { messageId: null, author: null, text: '' }),
    ...{ choice, described, place, language },
    page: page === undefined ? null : { url: page, isOurs: isOurs(page) },
    isSigned: signed === true,
  }
}

const nothing = {
  ...{ edited: null, replyTo: null, choice: null, described: null, place: null, page: null, language: null },
  isSigned: false,
}

/** PostgreSQL writes times into JSON with microseconds and its own zone. */
function timeOf(at: string | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

function deliveryOf(
  row: ThreadMessage,
  { kind }: ShownChannel,
  { maxAttempts, tells }: ShowOptions,
): Sendable<Message>['delivery'] {
  const { overChannel } = row
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
    overChannel: overChannel && {
      ...overChannel,
      doubtSince: timeOf(overChannel.doubtSince),
      repeatedAt: timeOf(overChannel.repeatedAt),
      deliveredAt: timeOf(overChannel.deliveredAt),
      readAt: timeOf(overChannel.readAt),
      receipts: kind !== null && tells.has(kind),
    },
  }
}

function fileOf({ fileState, contentType, fileName, sizeBytes }: ThreadMessage): Sendable<Message>['file'] {
  if (fileState === null || contentType === null) return null
  const isShown = fileState === 'stored' && isPicture(contentType)
  return { state: fileState, contentType, fileName, sizeBytes, isPicture: isShown }
}
