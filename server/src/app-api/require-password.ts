import { verifyPassword } from '../accounts/password.ts'
import type { Db } from '../platform/database/db.ts'
import { Refusal } from '../platform/refusal.ts'
import type { Session } from './session-store.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'
import { findUser } from './user-store.ts'

/**
 * Throws unless it is the user's own password. Wrong ones count together with those of signing in: whoever found a browser
 * that is signed in guesses no faster here.
 */
export async function requirePassword(
  { db, throttle }: { db: Db; throttle: SignInThrottle },
  session: Session,
  { password, address }: { password: string; address: string },
): Promise<void> {
  const user = await findUser(db, session)
  const attempt = { email: user?.email ?? '', address, isKnownAddress: true }
  await throttle.check(attempt)
  if (await verifyPassword(user?.passwordHash, password)) return throttle.succeeded(attempt)
  await throttle.failed(attempt)
  throw new Refusal('FORBIDDEN', 'The password is wrong.')
}
