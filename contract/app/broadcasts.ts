import type { Static } from 'typebox'
import { BroadcastCause, BroadcastCounts, broadcastStates, waitingReasons } from '../api/broadcasts.ts'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, optionalText, requiredText, visibleText } from '../text.ts'
import { Cursor, CursorQuery, Id, LimitQuery, oneOf, orNull, Time } from './fields.ts'
import { Channel } from './messages.ts'
import type { AppRoute } from './route.ts'

const BroadcastPath = Type.Object({ broadcastId: Id })

const fields = {
  listId: Id,
  channel: requiredText(limits.nameCharacters, 'Name of the custom channel.'),
  body: visibleText(limits.bodyBytes, 'The text, with {{firstName}} for the first name.'),
  campaignId: Type.Optional(Id),
  /** What becomes the id of those who have none. */
  idFrom: Type.Optional(oneOf('phone', 'email')),
}

export const BroadcastDraft = Type.Object({
  ...fields,
  name: optionalText(limits.nameCharacters, 'That of the list if left out.'),
  ratePerMinute: Type.Integer({ minimum: limits.broadcast.from, maximum: limits.broadcast.to }),
  /** Made by the browser; the same one again starts nothing more. */
  clientId: Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$' }),
})

export const BroadcastPreview = Type.Object({
  listName: Type.String(),
  /** All contacts of the list, and those among them who get no message. */
  contacts: Type.Integer(),
  optedOut: Type.Integer(),
  noId: Type.Integer(),
  noAddress: Type.Integer(),
  idTaken: Type.Integer(),
  /** Of the first contacts who get one. */
  messages: Type.Array(
    Type.Object({
      contactId: Type.String(),
      firstName: nullableText({}),
      lastName: nullableText({}),
      externalId: Type.String(),
      body: Type.String(),
    }),
  ),
  /** An id that somebody would get, just as it would be. */
  example: nullableText({}),
  /** Why the address for replies can be sent nothing at the moment. */
  trouble: orNull(oneOf(...waitingReasons)),
})
export type BroadcastPreview = Static<typeof BroadcastPreview>

/** Of a list: who has opted out; of the others who has an id, and how many could get one from what. */
export const Reach = Type.Object({
  contacts: Type.Integer(),
  optedOut: Type.Integer(),
  withId: Type.Integer(),
  byPhone: Type.Integer(),
  byEmail: Type.Integer(),
})
export type Reach = Static<typeof Reach>

export const ShownBroadcast = Type.Object({
  id: Type.String(),
  name: Type.String(),
  state: oneOf(...broadcastStates),
  /** Why its receiver can take nothing, and since when. */
  waiting: orNull(Type.Object({ reason: oneOf(...waitingReasons), since: Time })),
  /** It was paused because that lasted. */
  halted: orNull(Type.Object({ reason: oneOf(...waitingReasons), at: Time })),
  /** `id` is null when the list is gone. */
  list: Type.Object({ id: nullableText({}), name: Type.String() }),
  channel: Channel,
  campaign: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
  body: Type.String(),
  ratePerMinute: Type.Integer(),
  idFrom: orNull(oneOf('phone', 'email')),
  counts: BroadcastCounts,
  failures: Type.Array(BroadcastCause),
  /** Who started it; null: an API key. */
  startedBy: nullableText({}),
  createdAt: Time,
  endedAt: orNull(Time),
})
export type ShownBroadcast = Static<typeof ShownBroadcast>

const Recipient = Type.Object({
  n: Type.Integer(),
  /** Null: erased. */
  contactId: nullableText({}),
  firstName: nullableText({}),
  lastName: nullableText({}),
  externalId: nullableText({}),
  /** Of a failed one. */
  category: nullableText({}),
  httpStatus: orNull(Type.Integer()),
  at: Time,
})
export type BroadcastRecipient = Static<typeof Recipient>

export const broadcastRoutes = {
  'GET /api/broadcasts': {
    guard: 'member',
    summary: 'Broadcasts, newest first',
    query: Type.Object({ before: CursorQuery, limit: LimitQuery }),
    reply: Type.Object({ broadcasts: Type.Array(ShownBroadcast), next: Cursor }),
  },
  'POST /api/broadcasts': {
    guard: 'manager',
    summary: 'Start a broadcast',
    body: BroadcastDraft,
    reply: ShownBroadcast,
  },
  'POST /api/broadcasts/preview': {
    guard: 'manager',
    summary: 'What a broadcast would send, and to whom',
    body: Type.Object(fields),
    reply: BroadcastPreview,
  },
  'GET /api/lists/:listId/reach': {
    guard: 'member',
    summary: 'How many contacts of a list can be written to, and how',
    params: Type.Object({ listId: Id }),
    reply: Reach,
  },
  'GET /api/broadcasts/:broadcastId': {
    guard: 'member',
    summary: 'One broadcast with its results',
    params: BroadcastPath,
    reply: ShownBroadcast,
  },
  'GET /api/broadcasts/:broadcastId/recipients': {
    guard: 'member',
    summary: 'Recipients whose message failed, who answered, or who were left out',
    params: BroadcastPath,
    query: Type.Object({
      which: oneOf('failed', 'answered', 'left out'),
      before: CursorQuery,
      limit: LimitQuery,
    }),
    reply: Type.Object({ recipients: Type.Array(Recipient), next: Cursor }),
  },
  'POST /api/broadcasts/:broadcastId/pause': {
    guard: 'manager',
    summary: 'Pause a broadcast',
    params: BroadcastPath,
    reply: ShownBroadcast,
  },
  'POST /api/broadcasts/:broadcastId/resume': {
    guard: 'manager',
    summary: 'Resume a broadcast',
    params: BroadcastPath,
    reply: ShownBroadcast,
  },
  'POST /api/broadcasts/:broadcastId/stop': {
    guard: 'manager',
    summary: 'Stop a broadcast for good',
    params: BroadcastPath,
    reply: ShownBroadcast,
  },
} as const satisfies Record<string, AppRoute>
