import { busy } from '../platform/refusal.ts'
import { type Attempt, type openSignInThrottle, refuseWhileWaiting, type SignInThrottle } from './sign-in-throttle.ts'

/** What a serving process asks the supervisor about an attempt to sign in; the answer is in seconds, or a count. */
export type AskedAttempt = { what: 'wait' | 'failed' | 'succeeded'; attempt: Attempt }

/**
 * The throttle of one of several processes: the supervisor counts for all of them. While it does not answer, nobody signs
 * in: otherwise passwords could be guessed as often as one likes.
 */
export function askThrottle(ask: (asked: AskedAttempt) => Promise<number>): SignInThrottle {
  const answered = (asked: AskedAttempt) =>
    ask(asked).catch(() => {
      throw busy()
    })
  return {
    check: async (attempt) => refuseWhileWaiting(await answered({ what: 'wait', attempt })),
    failed: (attempt) => answered({ what: 'failed', attempt }),
    succeeded: (attempt) => void ask({ what: 'succeeded', attempt }).catch(() => {}), // at worst a wait stays
  }
}

/** The supervisor's side. */
export function answerThrottle(own: ReturnType<typeof openSignInThrottle>, { what, attempt }: AskedAttempt): number {
  if (what === 'wait') return own.waitSeconds(attempt)
  if (what === 'failed') return own.failed(attempt)
  own.succeeded(attempt)
  return 0
}
