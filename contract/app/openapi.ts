import { Type } from '../schema.ts'
import type { AppRoute } from './route.ts'

export const openApiRoutes = {
  'GET /api/openapi.json': {
    guard: 'member',
    summary: 'The description of these routes',
    reply: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  },
  'GET /api/reference': {
    guard: 'member',
    summary: 'The description of the public API, with the address of this server',
    reply: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  },
  'GET /api/certificate': {
    guard: 'member',
    summary: 'The certificate that this server made itself, as a file; 404 where clients know its certificate',
    raw: true,
  },
} as const satisfies Record<string, AppRoute>
