import type { TSchema } from 'typebox'

/** Who may call a route: anyone, any user that is signed in, or only the owner of the account. */
export type AppGuard = 'anyone' | 'member' | 'owner'

export type AppRoute = {
  guard: AppGuard
  summary: string
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** Missing only where the answer is `raw`. */
  reply?: TSchema
  /** It makes us call somebody, so it may be used only a few times a minute. */
  callsOut?: true
  /** Its answer is not JSON: the handler writes it itself, for GET and HEAD. */
  raw?: true
}
