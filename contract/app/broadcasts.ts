import type { Static } from 'typebox'
import { BroadcastCause, BroadcastCounts, broadcastStates, haltedReasons, waitingReasons } from '../api/broadcasts.ts'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, optionalText, visibleText } from '../text.ts'
import { Cursor, CursorQuery, Id, LimitQuery, oneOf, orNull, Time } from './fields.ts'
import { Channel } from './messages.ts'
import type { AppRoute } from './route.ts'

const BroadcastPath = Type.Object({ broadcastId: Id })

const fields = {
  listId: Id,
  channel: optionalText(limits.nameCharacters, 'Name of the custom channel; this or `channelId`.'),
  /** A built-in one. */
  channelId: Type.Optional(Id),
  body: visibleText(limits.bodyBytes, 'The text, with {{firstName}} for the first name.'),
  campaignId: Type.Optional(Id),
  /** What becomes the id of those who have none; with `channel` only. */
  idFrom: Type.Optional(oneOf('phone', 'email')),
}

/** Up to which rate it is sent; over a built-in channel four fifths of what that takes are the most. */
const ratePerMinute = Type.Integer({ minimum: limits.broadcast.from, maximum: limits.broadcast.to })

const startsAt = Type.String({ maxLength: limits.nameCharacters, description: 'ISO 8601 with an offset.' })

export const BroadcastDraft = Type.Object({
  ...fields,
  name: optionalText(limits.nameCharacters, 'That of the list if left out.'),
  ratePerMinute,
  /** At once if left out. */
  startsAt: Type.Optional(startsAt),
  /** Made by the browser; the same one again starts nothing more. */
  clientId: Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$' }),
})

/** What is left out stays; `channel` and `channelId` take each other's place, and null takes away. */
export const BroadcastChange = Type.Object({
  listId: Type.Optional(Id),
  channel: fields.channel,
  channelId: Type.Optional(Id),
  body: Type.Optional(fields.body),
  campaignId: Type.Optional(orNull(Id)),
  idFrom: Type.Optional(
    Type.Unsafe<'phone' | 'email' | null>({ type: ['string', 'null'], enum: ['phone', 'email', null] }),
  ),
  name: optionalText(limits.nameCharacters, 'That of the list if empty.'),
  ratePerMinute: Type.Optional(ratePerMinute),
  /** Null: it starts at once. */
  startsAt: Type.Optional(orNull(startsAt)),
})
export type BroadcastChange = Static<typeof BroadcastChange>

export const BroadcastPreview = Type.Object({
  listName: Type.String(),
  /** All contacts of the list, and those among them who get no message. */
  contacts: Type.Integer(),
  optedOut: Type.Integer(),
  blocked: Type.Integer(),
  noId: Type.Integer(),
  noAddress: Type.Integer(),
  idTaken: Type.Integer(),
  /** How long it takes to make all of them, at the rate that it comes to. */
  takesSeconds: Type.Number(),
  /** Of a built-in channel: of how many of its places each message is, and all are together; segments of SMS. */
  places: orNull(Type.Object({ least: Type.Integer(), most: Type.Integer(), all: Type.Integer() })),
  /** Of the first contacts who get one. */
  messages: Type.Array(
    Type.Object({
      contactId: Type.String(),
      firstName: nullableText({}),
      lastName: nullableText({}),
      /** Their id, or the address by which they are known on a built-in channel. */
      externalId: Type.String(),
      body: Type.String(),
    }),
  ),
  /** An id that somebody would get, just as it would be. */
  example: nullableText({}),
  /** Why nothing can be sent at the moment. */
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

/** Of a list, over a built-in channel: who gets no message and why, and how fast it takes messages of one place each. */
export const ChannelReach = Type.Object({
  contacts: Type.Integer(),
  optedOut: Type.Integer(),
  blocked: Type.Integer(),
  noId: Type.Integer(),
  idTaken: Type.Integer(),
  /** Whom it may be written to first. */
  writesFirstTo: oneOf('phone numbers', 'nobody'),
  mostPerMinute: Type.Number(),
})
export type ChannelReach = Static<typeof ChannelReach>

export const ShownBroadcast = Type.Object({
  id: Type.String(),
  name: Type.String(),
  state: oneOf(...broadcastStates),
  /** Why its receiver can take nothing, and since when. */
  waiting: orNull(Type.Object({ reason: oneOf(...waitingReasons), since: Time })),
  /** It was paused because that lasted, or its start was missed. */
  halted: orNull(Type.Object({ reason: oneOf(...haltedReasons), at: Time })),
  /** `id` is null when the list is gone. */
  list: Type.Object({ id: nullableText({}), name: Type.String() }),
  channel: Channel,
  /** Null: it goes over a custom channel. */
  channelId: nullableText({}),
  campaign: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
  body: Type.String(),
  ratePerMinute: Type.Integer(),
  /** What that comes to: a built-in channel may take fewer. */
  perMinute: Type.Number(),
  idFrom: orNull(oneOf('phone', 'email')),
  counts: BroadcastCounts,
  failures: Type.Array(BroadcastCause),
  /** Who started it; null: an API key. */
  startedBy: nullableText({}),
  createdAt: Time,
  /** When it is or was to start; null: it started when it was made. */
  startsAt: orNull(Time),
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
    summary: 'Start a broadcast, or say when it starts',
    body: BroadcastDraft,
    reply: ShownBroadcast,
  },
  'POST /api/broadcasts/preview': {
    guard: 'manager',
    summary: 'What a broadcast would send, and to whom',
    body: Type.Object({ ...fields, ratePerMinute: Type.Optional(ratePerMinute), startsAt: Type.Optional(startsAt) }),
    reply: BroadcastPreview,
  },
  'GET /api/lists/:listId/reach': {
    guard: 'member',
    summary: 'How many contacts of a list can be written to, and how',
    params: Type.Object({ listId: Id }),
    reply: Reach,
  },
  'GET /api/lists/:listId/reach/:channelId': {
    guard: 'member',
    summary: 'How many contacts of a list can be written to over a built-in channel',
    params: Type.Object({ listId: Id, channelId: Id }),
    reply: ChannelReach,
  },
  'PATCH /api/broadcasts/:broadcastId': {
    guard: 'manager',
    summary: 'Change a broadcast that has not started yet',
    params: BroadcastPath,
    body: BroadcastChange,
    reply: ShownBroadcast,
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
    summary: 'Stop a broadcast for good, also one that has not started yet',
    params: BroadcastPath,
    reply: ShownBroadcast,
  },
} as const satisfies Record<string, AppRoute>
