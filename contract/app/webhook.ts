import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText } from '../text.ts'
import { Cursor, CursorQuery, Id, LimitQuery, oneOf, orNull, Time } from './fields.ts'
import { Channel, DeliveryFault } from './messages.ts'
import { receiverRoutes, SavedWebhook } from './receivers.ts'
import type { AppRoute } from './route.ts'

export const deliveryFilters = ['all', 'failed', 'waiting', 'sent'] as const

export const DeliveryQuery = Type.Object({
  filter: Type.Optional(oneOf(...deliveryFilters)),
  /** An id of a message or contact, or part of a contact's name. */
  q: Type.Optional(Type.String({ maxLength: limits.nameCharacters })),
  before: CursorQuery,
  limit: LimitQuery,
})

/** How far a post has come. */
export const deliveryState = {
  status: oneOf('Waiting', 'Sent', 'Failed'),
  attempts: Type.Integer(),
  /** How many of `attempts` a person has asked for; these are not among the `maxAttempts` that come by themselves. */
  askedAttempts: Type.Integer(),
  maxAttempts: Type.Integer(),
  fault: orNull(DeliveryFault),
  createdAt: Time,
  sentAt: orNull(Time),
  /** When the next one by itself is due. */
  nextAttemptAt: orNull(Time),
  /** An attempt is being made, or is about to be because a person has asked for it. */
  isSending: Type.Boolean(),
}

export const DeliveryState = Type.Object(deliveryState)
export type DeliveryState = Static<typeof DeliveryState>

export const Delivery = Type.Object({
  id: Type.String(),
  contactId: Type.String(),
  contactName: nullableText({}),
  channel: Channel,
  author: oneOf('bot', 'person', 'api'),
  /** The beginning of the text. */
  text: Type.String(),
  ...deliveryState,
  lastAttemptAt: orNull(Time),
})
export type Delivery = Static<typeof Delivery>

/** A page may be short, or empty, although there is more: `next` says so. */
export const DeliveryPage = Type.Object({ deliveries: Type.Array(Delivery), next: Cursor })
/** Each counted up to 10,000. */
export const DeliveryCounts = Type.Object({ failed: Type.Integer(), waiting: Type.Integer() })
export const DeliveryPath = Type.Object({ id: Id })

export const Attempt = Type.Object({
  n: Type.Integer(),
  at: Time,
  url: Type.String(),
  durationMs: Type.Integer(),
  fault: orNull(DeliveryFault),
})
export type Attempt = Static<typeof Attempt>

/**
 * A delivery's attempts, newest first, the bytes that every attempt sends, and the headers of an attempt that is made now.
 * Without an address there is no signature.
 */
export const postDetail = {
  attempts: Type.Array(Attempt),
  payload: Type.String(),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  url: nullableText({}),
}

export const PostDetail = Type.Object(postDetail)
export type PostDetail = Static<typeof PostDetail>

export const DeliveryDetail = Type.Object({ delivery: Delivery, ...postDetail })
export type DeliveryDetail = Static<typeof DeliveryDetail>

export const ResendSince = Type.Object({ since: Type.String({ format: 'date-time' }) })
export const Resent = Type.Object({ resent: Type.Integer() })

export const webhookRoutes = {
  'GET /api/webhook': { guard: 'member', summary: 'The receiver and its health', reply: SavedWebhook },
  ...receiverRoutes('/api/webhook', 'owner'),
  'GET /api/deliveries': { guard: 'member', summary: 'Delivery log', query: DeliveryQuery, reply: DeliveryPage },
  'GET /api/deliveries/counts': { guard: 'member', summary: 'Deliveries in trouble', reply: DeliveryCounts },
  'GET /api/deliveries/:id': { guard: 'member', summary: 'One delivery', params: DeliveryPath, reply: DeliveryDetail },
  'POST /api/deliveries/:id/resend': {
    guard: 'member',
    summary: 'Send again',
    params: DeliveryPath,
    reply: DeliveryDetail,
    callsOut: true,
  },
  'POST /api/deliveries/resend': {
    guard: 'owner',
    summary: 'Send all failed ones again',
    body: ResendSince,
    reply: Resent,
    callsOut: true,
  },
} as const satisfies Record<string, AppRoute>
