import type { Conversation, ConversationFilter, ConversationQuery } from '@patchbay/contract/app/conversations.ts'
import type { Static } from 'typebox'
import type { Sendable } from '../../app-api/handlers.ts'
import { findChannels, type ShownChannel } from '../../contacts/channel-store.ts'
import type { Db } from '../../platform/database/db.ts'
import { isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { listAll, listFailed, listUnread, listWaiting } from './list-store.ts'
import type { Position } from './position-store.ts'
import type { ConversationRow, Reader } from './row-store.ts'

const defaultLimit = 50

const lists = { all: listAll, unread: listUnread, waiting: listWaiting, failed: listFailed }

type ConversationPage = { conversations: Sendable<Conversation>[]; next: string | null }

/**
 * A page of conversations. The next page begins after the last row of this one, so nothing is shown twice or left out,
 * whatever arrives in between: a conversation that becomes active moves to the first page.
 */
export async function listConversations(
  db: Db,
  reader: Reader,
  { filter = 'all', before, limit }: Static<typeof ConversationQuery>,
): Promise<ConversationPage> {
  const most = limit === undefined ? defaultLimit : Number(limit)
  const found = await lists[filter](db, reader, { after: readCursor(before), limit: most + 1 })
  const rows = found.slice(0, most)
  const last = found.length > most ? rows.at(-1) : undefined
  const channelOf = await findChannels(
    db,
    reader.accountId,
    rows.map(({ channel }) => channel),
  )
  return { conversations: rows.map((row) => showRow(row, channelOf)), next: last ? writeCursor(filter, last) : null }
}

export function showRow(row: ConversationRow, channelOf: (label: string) => ShownChannel): Sendable<Conversation> {
  const {
    author,
    userName,
    kind,
    text,
    hasFile,
    channel,
    activeMicros: _,
    waitingMicros: __,
    readSeq: ___,
    ...rest
  } = row
  return { ...rest, channel: channelOf(channel), last: { author, userName, kind, text, hasFile } }
}

function writeCursor(filter: ConversationFilter, { activeMicros, waitingMicros, contactId }: ConversationRow): string {
  return `${filter === 'waiting' ? waitingMicros : activeMicros}.${contactId}`
}

function readCursor(text: string | undefined): Position | undefined {
  if (text === undefined) return undefined
  const [, micros, contactId = ''] = /^(\d{1,17})\.(.*)$/s.exec(text) ?? []
  if (micros !== undefined && isId('con', contactId)) return { micros, contactId }
  throw new Refusal('INVALID_REQUEST', 'before must be the `next` of the page before.')
}
