import type { Db, Tx } from '../../platform/database/db.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { Refusal } from '../../platform/refusal.ts'
import { noteAct } from '../audit/store.ts'
import { isRight } from './require-password.ts'
import { hashToken, newToken } from './session-cookie.ts'
import type { FindSigningIn } from './session-lookup.ts'
import { insertSession, type Session } from './session-store.ts'
import type { SignInThrottle } from './throttle/sign-in-throttle.ts'
import { noteSeen, type ProvenUser } from './user-store.ts'

/** What the first answer of a session needs of it. */
export type BegunSession = Pick<Session, 'accountId' | 'userId' | 'isVisiting' | 'home' | 'tokenHash'>
export type SessionWithToken = BegunSession & { token: string }

export type SignInCtx = Readonly<{
  db: Db
  /** Shares of the connections of `db`, by account. */
  share: FairShare
  /** Places for those who have not shown yet who they are, by client address. */
  strangers: FairShare
  throttle: SignInThrottle
  findSigningIn: FindSigningIn
}>

/**
 * Begins a session for whoever knows the password. An unknown e-mail address and a wrong password get the same answer in the
 * same time: both check a hash.
 */
export async function signIn(
  { db, share, strangers, throttle, findSigningIn }: SignInCtx,
  given: { email: string; password: string },
  address: string,
): Promise<SessionWithToken> {
  const email = given.email.trim().toLowerCase()
  const { user, attempt, inRow } = await strangers(address, async () => {
    await throttle.check({ email, address }) // what can be said without the database
    const found = await findSigningIn({ email, address })
    const asked = { email, address, isKnownAddress: found?.isKnownAddress ?? false }
    return { user: found, attempt: asked, inRow: await throttle.take(asked) }
  })
  if (!(await isRight(throttle, attempt, { passwordHash: user?.passwordHash, password: given.password })) || !user) {
    const details = { email, times: inRow }
    const failed = { act: 'sign-ins failed', actor: { kind: 'nobody' }, details, address } as const
    if (user && isNoted(inRow)) await share(user.accountId, () => noteAct(db, user.accountId, failed))
    throw wrongPassword()
  }
  return share(user.accountId, () => beginSession(db, user, address))
}

const wrongPassword = () => new Refusal('UNAUTHORIZED', 'The e-mail address or the password is wrong.')

/**
 * Makes a session, under a fresh token, for somebody who has shown who they are; refuses if their password was changed since.
 * `note` writes it into the audit.
 */
export async function beginSession(
  db: Db,
  user: ProvenUser,
  address: string,
  note: (tx: Tx) => Promise<void> = (tx) =>
    noteAct(tx, user.accountId, { act: 'signed in', actor: { kind: 'user', userId: user.userId }, address }),
): Promise<SessionWithToken> {
  const { accountId, userId } = user
  const token = newToken()
  const tokenHash = hashToken(token)
  await db.transaction().execute(async (tx) => {
    if (!(await noteSeen(tx, user))) throw wrongPassword()
    await insertSession(tx, { tokenHash, accountId, userId, address })
    await note(tx)
  })
  const home = { accountId, userId }
  return { ...home, isVisiting: false, home, tokenHash: tokenHash.toString('hex'), token }
}

/** True of the fifth in a row of an address, and then each time they have doubled: guessing must not fill the audit. */
function isNoted(failures: number): boolean {
  return failures >= 5 && Number.isInteger(Math.log2(failures / 5))
}
