import type { Static } from 'typebox'
import { Type } from './schema.ts'

/** The general error body. */
export const GeneralError = Type.Object({
  error: Type.Object({ code: Type.String(), message: Type.String() }),
})

/** The error body of the app's own API. `quote`: what somebody else said, such as a provider, word for word. */
export const AppError = Type.Object({
  error: Type.Object({ code: Type.String(), message: Type.String(), quote: Type.Optional(Type.String()) }),
})

/** The error body of the message endpoints. */
export const FlatError = Type.Object({ error: Type.String() })

export type GeneralError = Static<typeof GeneralError>
