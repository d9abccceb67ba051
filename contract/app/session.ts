import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { requiredText } from '../text.ts'
import { Done, oneOf, orNull } from './fields.ts'
import type { AppRoute } from './route.ts'

export const SignIn = Type.Object({
  email: requiredText(limits.idCharacters, 'E-mail address.'),
  password: Type.String({ minLength: 1, maxLength: limits.password.to }),
})

/** Who is signed in, and what the app must know before it shows anything. */
export const Me = Type.Object({
  user: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String(), isOwner: Type.Boolean() }),
  account: Type.Object({
    id: Type.String(),
    name: Type.String(),
    kind: oneOf('standard', 'agency', 'subaccount'),
  }),
  /** Not null: the user is of this agency, and visits the account. */
  visiting: orNull(Type.Object({ agencyName: Type.String() })),
  /** The address of this server, for the commands that the app shows. */
  publicUrl: Type.String(),
  version: Type.String(),
})
export type Me = Static<typeof Me>

export const sessionRoutes = {
  'POST /api/session': { guard: 'anyone', summary: 'Sign in', body: SignIn, reply: Me },
  'GET /api/session': { guard: 'member', summary: 'Who is signed in', reply: Me },
  'DELETE /api/session': { guard: 'member', summary: 'Sign out', reply: Done },
  'DELETE /api/sessions': { guard: 'member', notVisiting: true, summary: 'Sign out everywhere', reply: Done },
  'POST /api/session/visit': {
    guard: 'agency',
    summary: "Open a sub-account's app as its agency",
    body: Type.Object({ accountId: Type.String() }),
    reply: Me,
  },
  'DELETE /api/session/visit': { guard: 'member', summary: "Leave the sub-account's app", reply: Me },
} as const satisfies Record<string, AppRoute>
