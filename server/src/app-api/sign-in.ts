import { verifyPassword } from '../accounts/password.ts'
import { noteAct } from '../audit/store.ts'
import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { hashToken, newToken } from './session-cookie.ts'
import { findSigningIn, insertSession, type Session } from './session-store.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'
import { noteSeen } from './user-store.ts'

export type SignedIn = Session & { token: string }

/**
 * Begins a session for whoever knows the password. An unknown e-mail address and a wrong password get the same answer in the
 * same time: both check a hash.
 */
export async function signIn(
  { db, throttle }: { db: Db; throttle: SignInThrottle },
  given: { email: string; password: string },
  address: string,
): Promise<SignedIn> {
  const email = given.email.trim().toLowerCase()
  const user = await findSigningIn(db, email, address)
  const attempt = { email, address, isKnownAddress: user?.isKnownAddress ?? false }
  await throttle.check(attempt)
  if (!(await verifyPassword(user?.passwordHash, given.password)) || !user) {
    const failures = await throttle.failed(attempt)
    if (user && isNoted(failures)) await noteFailures(db, user.accountId, { email, address, times: failures })
    throw new Refusal('UNAUTHORIZED', 'The e-mail address or the password is wrong.')
  }
  throttle.succeeded(attempt)
  return beginSession(db, user, address)
}

/** Makes a session, under a fresh token, for somebody who has shown who they are. */
export async function beginSession(
  db: Db,
  { accountId, userId, isOwner, kind }: Pick<Session, 'accountId' | 'userId' | 'isOwner' | 'kind'>,
  address: string,
): Promise<SignedIn> {
  const token = newToken()
  const tokenHash = hashToken(token)
  await db.transaction().execute(async (tx) => {
    await insertSession(tx, { tokenHash, accountId, userId, address })
    await noteSeen(tx, { accountId, userId })
    await noteAct(tx, accountId, { act: 'signed in', actor: { kind: 'user', userId }, address })
  })
  const home = { accountId, userId }
  return { ...home, kind, isOwner, isVisiting: false, home, tokenHash: tokenHash.toString('hex'), token }
}

/** The fifth in a row of an address, and then each time they have doubled: guessing must not fill the audit. */
function isNoted(failures: number): boolean {
  return failures >= 5 && Number.isInteger(Math.log2(failures / 5))
}

type Failures = { email: string; address: string; times: number }

async function noteFailures(db: Db, accountId: AccountId, { email, address, times }: Failures): Promise<void> {
  const details = { email, times }
  await noteAct(db, accountId, { act: 'sign-ins failed', actor: { kind: 'nobody' }, details, address })
}
