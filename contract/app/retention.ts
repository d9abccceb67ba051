import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { oneOf, orNull } from './fields.ts'
import type { AppRoute } from './route.ts'

/** What an account can keep for a shorter time than the installation does. */
export const retentionKinds = [
  'messages',
  'attachments',
  'answers',
  'attempts',
  'unanswered',
  'calls',
  'visitors',
] as const
export type RetentionKind = (typeof retentionKinds)[number]

const Days = Type.Integer({ minimum: limits.keepDays.from, maximum: limits.keepDays.to })

/** `days`: of the account itself; null: as the installation. `most`: of the installation; null: for ever. */
export const RetentionRules = Type.Object({
  rules: Type.Array(
    Type.Object({ kind: oneOf(...retentionKinds), days: orNull(Type.Integer()), most: orNull(Type.Integer()) }),
  ),
})
export type RetentionRules = Static<typeof RetentionRules>

export const RetentionChange = Type.Object({ kind: oneOf(...retentionKinds), keepDays: orNull(Days) })
export type RetentionChange = Static<typeof RetentionChange>

/** Messages that would be over with this setting: up to `counted`, then there are more. */
export const RetentionPreview = Type.Object({ messages: Type.Integer(), hasMore: Type.Boolean() })

export const retentionRoutes = {
  'GET /api/account/retention': {
    guard: 'owner',
    notVisiting: true,
    summary: 'How long things are kept',
    reply: RetentionRules,
  },
  'PUT /api/account/retention': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Keep something for a shorter time; null: for as long as the installation does',
    body: RetentionChange,
    reply: RetentionRules,
  },
  'GET /api/account/retention/preview': {
    guard: 'owner',
    notVisiting: true,
    summary: 'How many messages would be removed at once if they were kept for so many days',
    query: Type.Object({ keepDays: Type.String({ pattern: '^[1-9][0-9]{0,4}$' }) }),
    reply: RetentionPreview,
  },
} as const satisfies Record<string, AppRoute>
