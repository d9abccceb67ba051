import type { Static } from 'typebox'
import { Type } from '../schema.ts'
import { Cursor, CursorQuery, LimitQuery, oneOf, orNull, Time } from './fields.ts'
import type { AppRoute } from './route.ts'

/** Everything that is written down about who did what. The app has a sentence for each. */
export const acts = [
  'signed in',
  'sign-ins failed',
  'signed out everywhere',
  'password changed',
  'password link made',
  'password link withdrawn',
  'key generated',
  'webhook changed',
  'webhook paused',
  'webhook resumed',
  'webhook removed',
  'secret shown',
  'secret rotated',
  'old secret ended',
  'alerts changed',
  'member invited',
  'invitation withdrawn',
  'member joined',
  'role changed',
  'manager changed',
  'member removed',
  'connection made',
  'connection changed',
  'connection removed',
  'channel connected',
  'channel changed',
  'channel paused',
  'channel resumed',
  'channel removed',
  'channel taken over',
  'contact blocked',
  'contact unblocked',
  'contact erased',
  'deletion refused',
  'contacts imported',
  'contacts exported',
  'retention changed',
  'time zone changed',
  'credits granted',
  'movement reversed',
  'recharge changed',
  'sub-account made',
  'sub-account changed',
  'visit began',
  'visit ended',
  'broadcast scheduled',
  'broadcast changed',
  'broadcast started',
  'broadcast paused',
  'broadcast resumed',
  'broadcast stopped',
] as const

export type Act = (typeof acts)[number]

/** The screen's filters. */
export const auditGroups = {
  keys: [
    'key generated',
    'webhook changed',
    'webhook paused',
    'webhook resumed',
    'webhook removed',
    'secret shown',
    'secret rotated',
    'old secret ended',
    'alerts changed',
    'connection made',
    'connection changed',
    'connection removed',
    'channel connected',
    'channel changed',
    'channel paused',
    'channel resumed',
    'channel removed',
    'channel taken over',
  ],
  people: [
    'signed in',
    'sign-ins failed',
    'signed out everywhere',
    'password changed',
    'password link made',
    'password link withdrawn',
    'member invited',
    'invitation withdrawn',
    'member joined',
    'role changed',
    'manager changed',
    'member removed',
    'visit began',
    'visit ended',
  ],
  erasures: [
    'contact blocked',
    'contact unblocked',
    'contact erased',
    'deletion refused',
    'contacts imported',
    'contacts exported',
    'retention changed',
  ],
  credits: ['credits granted', 'movement reversed', 'recharge changed', 'sub-account made', 'sub-account changed'],
} as const satisfies Record<string, readonly Act[]>

export const AuditEvent = Type.Object({
  id: Type.String(),
  at: Time,
  act: oneOf(...acts),
  actor: Type.Object({ kind: oneOf('user', 'agency', 'key', 'operator', 'nobody'), name: orNull(Type.String()) }),
  /** What it was done to, by the act. */
  details: Type.Unsafe<Record<string, string | number>>({
    type: 'object',
    additionalProperties: { type: ['string', 'number'] },
  }),
  /** Of the client. */
  address: orNull(Type.String()),
})
export type AuditEvent = Static<typeof AuditEvent>

export type AuditGroup = keyof typeof auditGroups

const Filter = Type.Object({
  group: Type.Optional(oneOf('keys', 'people', 'erasures', 'credits')),
  q: Type.Optional(Type.String({ maxLength: 256 })),
})

export const auditRoutes = {
  'GET /api/audit': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Who did what, newest first',
    query: Type.Object({ ...Filter.properties, before: CursorQuery, limit: LimitQuery }),
    reply: Type.Object({ events: Type.Array(AuditEvent), next: Cursor }),
  },
  'GET /api/audit/csv': {
    guard: 'owner',
    notVisiting: true,
    summary: 'The same as a CSV file',
    query: Filter,
    raw: true,
  },
} as const satisfies Record<string, AppRoute>
