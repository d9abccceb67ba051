import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { requiredText } from '../text.ts'
import { Done, oneOf, orNull, Time } from './fields.ts'
import type { AppRoute } from './route.ts'

export const SignIn = Type.Object({
  email: requiredText(limits.idCharacters, 'E-mail address.'),
  password: Type.String({ minLength: 1, maxLength: limits.password.to }),
})

/** Who is signed in, and what the app must know before it shows anything. */
export const Me = Type.Object({
  user: Type.Object({
    id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    isOwner: Type.Boolean(),
    /** May import contacts, send broadcasts and delete lists: an owner, or a member with that right. */
    mayManage: Type.Boolean(),
  }),
  account: Type.Object({
    id: Type.String(),
    name: Type.String(),
    kind: oneOf('standard', 'agency', 'subaccount'),
  }),
  /** Not null: the user is of this agency, and visits the account. */
  visiting: orNull(Type.Object({ agencyName: Type.String() })),
  /** Not null: the agency of this sub-account made a link for a password here, of which this session has not been told. */
  agencyLink: orNull(
    Type.Object({
      agencyName: Type.String(),
      /** The last one. */
      madeAt: Time,
      /** When one was last used, the last or an earlier one; null where the session was told, or nobody has. */
      usedAt: orNull(Time),
      /** The last one can still be used. */
      isOpen: Type.Boolean(),
    }),
  ),
  /** PUBLIC_URL, for the commands that the app shows; null where it is not set: then the page's own origin is it. */
  publicUrl: orNull(Type.String()),
  /** The file of the certificate that the server made itself, which its clients have to trust; null where they know it. */
  certificate: orNull(Type.String()),
  version: Type.String(),
})
export type Me = Static<typeof Me>

export const sessionRoutes = {
  'POST /api/session': { guard: 'anyone', summary: 'Sign in', body: SignIn, reply: Me },
  'GET /api/session': { guard: 'member', summary: 'Who is signed in', reply: Me },
  'DELETE /api/session': { guard: 'member', summary: 'Sign out', reply: Done },
  'DELETE /api/sessions': { guard: 'member', notVisiting: true, summary: 'Sign out everywhere', reply: Done },
  'PUT /api/session/told': {
    guard: 'subaccount',
    notVisiting: true,
    summary: 'The owner has read that the agency made a link for a password',
    reply: Me,
  },
  'POST /api/session/visit': {
    guard: 'agency',
    summary: "Open a sub-account's app as its agency",
    body: Type.Object({ accountId: Type.String() }),
    reply: Me,
  },
  'DELETE /api/session/visit': { guard: 'member', summary: "Leave the sub-account's app", reply: Me },
} as const satisfies Record<string, AppRoute>
