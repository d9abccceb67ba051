import { verifyPassword } from '../accounts/password.ts'
import type { Db } from '../platform/database/db.ts'
import { Refusal } from '../platform/refusal.ts'
import { hashToken, newToken } from './session-cookie.ts'
import { findSigningIn, insertSession, type Session } from './session-store.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'

export type SignedIn = Session & { token: string }

/**
 * Makes a session, under a fresh token. An unknown e-mail address and a wrong password get the same answer in the same
 * time: both check a hash.
 */
export async function signIn(
  { db, throttle }: { db: Db; throttle: SignInThrottle },
  given: { email: string; password: string },
  address: string,
): Promise<SignedIn> {
  const email = given.email.trim().toLowerCase()
  const user = await findSigningIn(db, email, address)
  const attempt = { email, address, isKnownAddress: user?.isKnownAddress ?? false }
  throttle.check(attempt)
  if (!(await verifyPassword(user?.passwordHash, given.password)) || !user) {
    throttle.failed(attempt)
    throw new Refusal('UNAUTHORIZED', 'The e-mail address or the password is wrong.')
  }
  throttle.succeeded(attempt)
  const token = newToken()
  const { accountId, userId, isOwner, kind } = user
  const tokenHash = hashToken(token)
  await insertSession(db, { tokenHash, accountId, userId, address })
  const home = { accountId, userId }
  return { ...home, kind, isOwner, isVisiting: false, home, tokenHash: tokenHash.toString('hex'), token }
}
