import type { Route } from '../route.ts'

/**
 * Who may call a route: anyone; any user who is signed in; owners of the account and members whom they let manage; only
 * owners; owners of an agency; owners of a sub-account. An owner of an agency who visits a sub-account counts as its owner.
 */
export type AppGuard = 'anyone' | 'member' | 'manager' | 'owner' | 'agency' | 'subaccount'

export type AppRoute = Route & {
  guard: AppGuard
  /** Not for an agency that visits the account: keys, passwords, people, erasing, export. */
  notVisiting?: true
  /** Nothing that a screen shows is other than before. */
  changesNothing?: true
  /** It makes us call somebody, so it may be used only a few times a minute. */
  callsOut?: true
  /** It waits for a thread or a model, and holds no share of the connections meanwhile; its handler limits how many. */
  waits?: true
}
