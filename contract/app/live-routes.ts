import { Type } from '../schema.ts'
import { Id } from './fields.ts'
import type { AppRoute } from './route.ts'

/** Apart from `live.ts`, whose constants the app needs without any schema. */
export const liveRoutes = {
  'GET /api/live': {
    guard: 'member',
    summary: 'Stream of changes (server-sent events)',
    /** Whose page asks: with a stream a browser sends no header that says so. */
    query: Type.Object({ user: Type.Optional(Id) }),
    raw: true,
  },
} as const satisfies Record<string, AppRoute>
