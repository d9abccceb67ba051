import type { Static, TSchema } from 'typebox'

/** A route of either API, by its name, such as `GET /v1/contacts`: what it takes, what it answers, and its limits. */
export type Route = {
  summary: string
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** Missing only where the answer is `raw`. */
  reply?: TSchema
  /** The statuses of a success, the usual one first; 200 if left out. */
  statuses?: readonly (200 | 201)[]
  /** Its answer is not JSON: the handler writes it itself, for GET and HEAD. */
  raw?: true
  /** A second path, which the description leaves out. */
  alias?: string
  /** `flat` on the message endpoints: `error` is a string. Elsewhere it is an object with a code and a message. */
  errorShape?: 'flat'
  /** The most that its body may have, if that is more than usual. */
  bodyBytes?: number
  /** Its body are bytes, as `application/octet-stream`; what they are is in the query. */
  takesBytes?: true
  /** The body may contain a file, so it has more time to arrive. */
  mayBeLarge?: true
  /** The bytes of the body are kept as long as the request. */
  keepsRawBody?: true
}

/** What a route answers, where it is JSON. */
export type ReplyOfRoute<R> = R extends { reply: infer Schema extends TSchema } ? Static<Schema> : never
/** What a route must be sent; undefined where it takes none. */
export type PartOfRoute<R, Part extends 'params' | 'query' | 'body'> = R extends {
  [P in Part]: infer Schema extends TSchema
}
  ? Static<Schema>
  : undefined
