import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { requiredText } from '../text.ts'
import { Done, Id, oneOf, orNull, Time } from './fields.ts'
import type { AppRoute } from './route.ts'
import { Me } from './session.ts'

export const Member = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  isOwner: Type.Boolean(),
  /** A member who may import contacts, send broadcasts and delete lists. Owners may anyway. */
  isManager: Type.Boolean(),
  /** The e-mail address that names the account. */
  isHolder: Type.Boolean(),
  seenAt: orNull(Time),
})
export type Member = Static<typeof Member>

/** An invitation that nobody has used yet. The link itself was shown once. */
export const Invitation = Type.Object({
  id: Type.String(),
  makesOwner: Type.Boolean(),
  madeBy: Type.String(),
  endsAt: Time,
})

/** A link for a new password that nobody has used yet. */
export const OpenPasswordLink = Type.Object({
  id: Type.String(),
  /** Of the member whose password it sets. */
  name: Type.String(),
  madeBy: Type.String(),
  /** Made by the agency of this sub-account. */
  isByAgency: Type.Boolean(),
  endsAt: Time,
})

export const Team = Type.Object({
  members: Type.Array(Member),
  invitations: Type.Array(Invitation),
  passwordLinks: Type.Array(OpenPasswordLink),
})
export type Team = Static<typeof Team>

/** Shown once: only the hash of its token is kept. */
export const NewLink = Type.Object({
  id: Type.String(),
  /** With PUBLIC_URL, or where that is not set without an origin: the page that shows it has come by one that works. */
  url: Type.String(),
  endsAt: Time,
})
export type NewLink = Static<typeof NewLink>

const Role = Type.Object({ isOwner: Type.Boolean() })
const MemberPath = Type.Object({ userId: Id })

const Token = Type.String({ minLength: 1, maxLength: 128, description: 'What the link has after the #.' })
const Password = Type.String({ minLength: limits.password.from, maxLength: limits.password.to })

/** What a link is for, as whoever opens it sees it. */
export const OpenedLink = Type.Object({
  kind: oneOf('invitation', 'password'),
  accountName: Type.String(),
  /** Whose password it sets. */
  email: orNull(Type.String()),
  makesOwner: Type.Boolean(),
  endsAt: Time,
})
export type OpenedLink = Static<typeof OpenedLink>

export const teamRoutes = {
  'GET /api/team': { guard: 'owner', notVisiting: true, summary: 'Members and open links', reply: Team },
  'POST /api/team/invitations': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Make a link that lets one person in',
    body: Role,
    reply: NewLink,
  },
  'DELETE /api/team/links/:linkId': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Withdraw an invitation or a link for a password',
    params: Type.Object({ linkId: Id }),
    reply: Done,
  },
  'PATCH /api/team/members/:userId': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Make somebody an owner or a member; let a member manage, or no longer',
    params: MemberPath,
    body: Type.Partial(Type.Object({ isOwner: Type.Boolean(), isManager: Type.Boolean() })),
    reply: Team,
  },
  'DELETE /api/team/members/:userId': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Remove somebody, and end their sessions',
    params: MemberPath,
    reply: Team,
  },
  'POST /api/team/members/:userId/password': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Make a link with which they set a new password',
    params: MemberPath,
    reply: NewLink,
  },
  'POST /api/links': {
    guard: 'anyone',
    summary: 'What a link is for',
    body: Type.Object({ token: Token }),
    reply: OpenedLink,
  },
  'POST /api/links/invitation': {
    guard: 'anyone',
    summary: 'Join by an invitation, and sign in',
    body: Type.Object({
      token: Token,
      name: requiredText(limits.nameCharacters, 'Your name, as colleagues see it.'),
      email: requiredText(limits.idCharacters, 'The e-mail address that you sign in with.'),
      password: Password,
    }),
    reply: Me,
  },
  'POST /api/links/password': {
    guard: 'anyone',
    summary: 'Set the password by a link, and sign in',
    body: Type.Object({ token: Token, password: Password }),
    reply: Me,
  },
} as const satisfies Record<string, AppRoute>
