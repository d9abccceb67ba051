import type { Static, TSchema } from 'typebox'
import { Type } from '../schema.ts'

/** A time in an answer: ISO 8601, UTC. The server gives a `Date`. */
export const Time = Type.String({ format: 'date-time' })

/** A value of an answer that may be null, and is never missing. */
export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, nullable: true })
}

export function oneOf<const Values extends readonly string[]>(...values: Values) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: values })
}

/** An id in the path. Whether it exists in this account is the operation's to say. */
export const Id = Type.String({ minLength: 1, maxLength: 128 })

export const Done = Type.Object({ done: Type.Literal(true) })

/** Where a page ends: pass it as `before` or `after` for the next one. Null: there is no more. */
export const Cursor = orNull(Type.String())

/** A query parameter for pages. It is opaque to the app. */
export const CursorQuery = Type.Optional(Type.String({ maxLength: 512 }))
export const LimitQuery = Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|100)$' }))
