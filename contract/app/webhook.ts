import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, requiredText } from '../text.ts'
import { PasswordAgain } from './account.ts'
import { Cursor, CursorQuery, Id, LimitQuery, oneOf, orNull, Time } from './fields.ts'
import { Channel, DeliveryFault } from './messages.ts'
import type { AppRoute } from './route.ts'

/** The result of a test post, and of the one with a wrong signature that follows it. */
export const TestResult = Type.Object({
  at: Time,
  status: oneOf('Sent', 'Failed'),
  fault: orNull(DeliveryFault),
  durationMs: Type.Integer(),
  /** Whether the wrong signature was refused; null when that post got no answer. */
  checksSignature: orNull(Type.Boolean()),
})
export type TestResult = Static<typeof TestResult>

export const Webhook = Type.Object({
  url: Type.String(),
  state: oneOf('working', 'failing', 'paused', 'gone'),
  failuresInRow: Type.Integer(),
  failingSince: orNull(Time),
  lastSuccessAt: orNull(Time),
  /** While the circuit breaker is open: when the next attempt is made. */
  probeAt: orNull(Time),
  /** The old secret signs too until then. */
  oldSecretUntil: orNull(Time),
  /** Replies that are to be delivered, and those that failed and are not tried again by themselves; up to 10,000. */
  owed: Type.Integer(),
  undelivered: Type.Integer(),
  lastFault: orNull(DeliveryFault),
  /** The last attempts, oldest first, at most 60. */
  attempts: Type.Array(Type.Object({ at: Time, ok: Type.Boolean() })),
  lastTest: orNull(TestResult),
})
export type Webhook = Static<typeof Webhook>

/** Null while no address is saved. */
export const SavedWebhook = Type.Object({ webhook: orNull(Webhook), undelivered: Type.Integer() })
export const WebhookUrl = Type.Object({ url: requiredText(limits.urlCharacters, 'Address of your server.') })
export const Secret = Type.Object({ secret: Type.String() })
export const Rotation = Type.Object({ leaked: Type.Boolean() })

export const deliveryFilters = ['all', 'failed', 'waiting', 'sent'] as const

export const DeliveryQuery = Type.Object({
  filter: Type.Optional(oneOf(...deliveryFilters)),
  /** An id of a message or contact, or part of a contact's name. */
  q: Type.Optional(Type.String({ maxLength: limits.nameCharacters })),
  before: CursorQuery,
  limit: LimitQuery,
})

export const Delivery = Type.Object({
  id: Type.String(),
  contactId: Type.String(),
  contactName: nullableText({}),
  channel: Channel,
  author: oneOf('bot', 'person', 'api'),
  /** The beginning of the text. */
  text: Type.String(),
  status: oneOf('Waiting', 'Sent', 'Failed'),
  attempts: Type.Integer(),
  maxAttempts: Type.Integer(),
  fault: orNull(DeliveryFault),
  createdAt: Time,
  sentAt: orNull(Time),
  lastAttemptAt: orNull(Time),
  nextAttemptAt: orNull(Time),
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

/** Of an attempt that is made now. */
export const PostHeaders = Type.Array(Type.Object({ name: Type.String(), value: Type.String() }))

/**
 * One delivery with its attempts, newest first, the bytes that every attempt sends, and the headers of an attempt that is
 * made now. Without an address there is no signature.
 */
export const DeliveryDetail = Type.Object({
  delivery: Delivery,
  attempts: Type.Array(Attempt),
  payload: Type.String(),
  headers: PostHeaders,
  url: nullableText({}),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

export const ResendSince = Type.Object({ since: Type.String({ format: 'date-time' }) })
export const Resent = Type.Object({ resent: Type.Integer() })

export const webhookRoutes = {
  'GET /api/webhook': { guard: 'member', summary: 'The receiver and its health', reply: SavedWebhook },
  'PUT /api/webhook': {
    guard: 'owner',
    summary: 'Save the address',
    body: WebhookUrl,
    reply: SavedWebhook,
    callsOut: true, // its name is looked up
  },
  'POST /api/webhook/test': { guard: 'owner', summary: 'Send a test post', reply: TestResult, callsOut: true },
  'POST /api/webhook/try': {
    guard: 'owner',
    summary: 'Try the receiver now',
    reply: SavedWebhook,
    callsOut: true,
  },
  'POST /api/webhook/pause': { guard: 'owner', summary: 'Pause deliveries', reply: SavedWebhook },
  'POST /api/webhook/resume': { guard: 'owner', summary: 'Resume deliveries', reply: SavedWebhook },
  'POST /api/webhook/secret': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Show the secret',
    body: PasswordAgain,
    reply: Secret,
  },
  'POST /api/webhook/rotate': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Make a new secret',
    body: Rotation,
    reply: Secret,
  },
  'DELETE /api/webhook/old-secret': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Let the old secret sign no longer',
    reply: SavedWebhook,
  },
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
