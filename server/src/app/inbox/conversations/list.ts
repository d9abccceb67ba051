import type { Conversation, ConversationFilter, ConversationQuery } from '@patchbay/contract/app/conversations.ts'
import type { Static } from 'typebox'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import { findChannels, type ShownChannel } from '../../../people/contacts/channel-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import { isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { listAll, listClosed, listFailed, listMine, listSnoozed, listUnread, listWaiting } from './list-store.ts'
import { listChannel, listTagged } from './narrow-list-store.ts'
import type { ConversationRow } from './row-store.ts'
import type { Position, Viewer } from './viewer-store.ts'

const defaultLimit = 50

const lists = {
  all: listAll,
  mine: listMine,
  unread: listUnread,
  waiting: listWaiting,
  failed: listFailed,
  closed: listClosed,
  snoozed: listSnoozed,
}

/**
 * A page of conversations. The next page begins after the last row of this one, so nothing is shown twice or left out,
 * whatever arrives in between: a conversation that becomes active moves to the first page.
 */
export async function listConversations(
  db: Db,
  viewer: Viewer,
  query: Static<typeof ConversationQuery>,
): Promise<{ conversations: Sendable<Conversation>[]; next: string | null }> {
  const most = query.limit === undefined ? defaultLimit : Number(query.limit)
  const { rows, next } = await readPage(db, viewer, query, most)
  const labels = rows.map(({ channel }) => channel)
  const channelOf = await findChannels(db, viewer.accountId, labels)
  return { conversations: rows.map((row) => showRow(row, channelOf)), next }
}

async function readPage(
  db: Db,
  viewer: Viewer,
  { filter, channel, tag, before }: Static<typeof ConversationQuery>,
  most: number,
): Promise<{ rows: ConversationRow[]; next: string | null }> {
  if ([filter, channel, tag].filter((each) => each !== undefined).length > 1) {
    throw new Refusal('INVALID_REQUEST', 'Give one of filter, channel and tag.')
  }
  const after = readCursor(before)
  const wanted = { after, limit: most + 1 }
  if (channel !== undefined) {
    const label = channel.replaceAll('\0', '') // PostgreSQL takes no NUL, and no stored text has one
    const { rows, reached } = await listChannel(db, viewer, { channel: label, after, limit: most })
    return { rows, next: reached ? writeCursor(reached) : null }
  }
  const found = await (tag === undefined
    ? lists[filter ?? 'all'](db, viewer, wanted)
    : listTagged(db, viewer, { ...wanted, tag: normalTag(tag) }))
  const rows = found.slice(0, most)
  const last = found.length > most ? rows.at(-1) : undefined
  return { rows, next: last ? cursorAt(tag === undefined ? (filter ?? 'all') : 'tag', last) : null }
}

export function showRow(row: ConversationRow, channelOf: (label: string) => ShownChannel): Sendable<Conversation> {
  const { author, userName, kind, text, hasFile, isTakenBack, channel, assigneeId, assigneeName, ...more } = row
  const { activeMicros: _, waitingMicros: __, taggedMicros: ___, readSeq: ____, ...rest } = more
  const assignee = assigneeId === null || assigneeName === null ? null : { id: assigneeId, name: assigneeName }
  return {
    ...rest,
    assignee,
    channel: channelOf(channel),
    last: { author, userName, kind, text, hasFile, isTakenBack },
  }
}

function cursorAt(order: ConversationFilter | 'tag', row: ConversationRow): string {
  const { activeMicros, waitingMicros, taggedMicros, contactId } = row
  const micros = order === 'waiting' ? waitingMicros : order === 'tag' ? taggedMicros : activeMicros
  return writeCursor({ micros: micros ?? activeMicros, contactId })
}

/** A position as callers are given it: the `next` of a page, and the `before` of the page after it. */
export function writeCursor({ micros, contactId }: Position): string {
  return `${micros}.${contactId}`
}

export function readCursor(text: string | undefined): Position | undefined {
  if (text === undefined) return undefined
  const [, micros, contactId = ''] = /^(\d{1,17})\.(.*)$/s.exec(text) ?? []
  if (micros !== undefined && isId('con', contactId)) return { micros, contactId }
  throw new Refusal('INVALID_REQUEST', 'before must be the `next` of the page before.')
}

/** "Refund" and "refund " are one tag. PostgreSQL takes no NUL, and no stored text has one. */
export function normalTag(text: string): string {
  return text.replaceAll('\0', '').normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase()
}
