import type { Db } from '../../platform/database/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { verifyPassword } from '../accounts/password.ts'
import type { Session } from './session-store.ts'
import type { Attempt, SignInThrottle } from './throttle/sign-in-throttle.ts'
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
  await throttle.take(attempt)
  if (await isRight(throttle, attempt, { passwordHash: user?.passwordHash, password })) return
  throw new Refusal('FORBIDDEN', 'The password is wrong.')
}

/** Whether the password of an attempt that has taken its place is right; it then counts for nothing. */
export async function isRight(
  throttle: SignInThrottle,
  attempt: Attempt,
  { passwordHash, password }: { passwordHash: string | undefined; password: string },
): Promise<boolean> {
  const { address, isKnownAddress: isKnown } = attempt
  try {
    const found = await verifyPassword(passwordHash, password, { address, isKnown })
    if (found) throttle.succeeded(attempt)
    return found
  } catch (error) {
    throttle.release(attempt)
    throw error
  }
}
