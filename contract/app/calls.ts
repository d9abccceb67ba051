import type { Static } from 'typebox'
import { Type } from '../schema.ts'
import { nullableText } from '../text.ts'
import { Time } from './fields.ts'
import type { AppRoute } from './route.ts'

/** A call of the public API with a key of the account. Its body, its key and its query string are not kept. */
export const ApiCall = Type.Object({
  id: Type.String(),
  at: Time,
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  /** Of a refused call: the code and the sentence of the answer. */
  code: nullableText({}),
  sentence: nullableText({}),
  durationMs: Type.Integer(),
  requestId: Type.String(),
})
export type ApiCall = Static<typeof ApiCall>

export const callRoutes = {
  'GET /api/calls': {
    guard: 'member',
    summary: 'The last calls of the public API, newest first',
    reply: Type.Object({ calls: Type.Array(ApiCall) }),
  },
} as const satisfies Record<string, AppRoute>
