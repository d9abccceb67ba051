import type { PartOfRoute, ReplyOfRoute } from '../route.ts'
import { broadcastRoutes } from './broadcasts.ts'
import { contactRoutes } from './contacts.ts'
import { creditRoutes } from './credits.ts'
import { listRoutes } from './lists.ts'
import { messageRoutes } from './messages.ts'

/** Every route of the public API, with its guard, its schemas and its limits. */
export const apiRoutes = {
  ...messageRoutes,
  ...contactRoutes,
  ...listRoutes,
  ...broadcastRoutes,
  ...creditRoutes,
} as const

export type ApiRoutes = typeof apiRoutes
export type ApiRouteName = keyof ApiRoutes
export type ApiReplyOf<Name extends ApiRouteName> = ReplyOfRoute<ApiRoutes[Name]>
export type ApiPartOf<Name extends ApiRouteName, Part extends 'params' | 'query' | 'body'> = PartOfRoute<
  ApiRoutes[Name],
  Part
>
