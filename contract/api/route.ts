import type { TSchema } from 'typebox'
import type { Route } from '../route.ts'

export type ApiRoute = Route & {
  /** Where the key may be: in the query or in the header `x-api-key`; or in the header alone. */
  guard: 'key' | 'headerKey'
  operationId: string
  tag: 'Messages' | 'Contacts' | 'Lists' | 'Broadcasts' | 'Credits'
  description: string
  reply: TSchema
  /** Many requests are written by one statement, so it needs no share of the connections. */
  batched?: true
}
