import { busy } from '../../../platform/refusal.ts'
import {
  type Attempt,
  type AttemptResult,
  type OwnThrottle,
  type Pair,
  refuseWhileWaiting,
  type SignInThrottle,
} from './sign-in-throttle.ts'

/** What a serving process asks the supervisor about an attempt to sign in. */
export type AskedAttempt =
  | { what: 'check'; attempt: Pair }
  | { what: 'take' | 'succeeded' | 'release'; attempt: Attempt }

/**
 * The throttle of one of several processes: the supervisor counts for all of them. While it does not answer, nobody signs
 * in: otherwise passwords could be guessed as often as one likes.
 */
export function askThrottle(ask: (asked: AskedAttempt) => Promise<AttemptResult>): SignInThrottle {
  const answered = async (asked: AskedAttempt) => {
    const taken = await ask(asked).catch(() => {
      throw busy()
    })
    refuseWhileWaiting(taken.waitSeconds)
    return taken.inRow
  }
  const told = (asked: AskedAttempt) => void ask(asked).catch(() => {}) // at worst a wait stays
  return {
    check: async (attempt) => void (await answered({ what: 'check', attempt })),
    take: (attempt) => answered({ what: 'take', attempt }),
    succeeded: (attempt) => told({ what: 'succeeded', attempt }),
    release: (attempt) => told({ what: 'release', attempt }),
  }
}

/** The supervisor's side. */
export function answerThrottle(own: OwnThrottle, asked: AskedAttempt): AttemptResult {
  if (asked.what === 'take') return own.tryTake(asked.attempt)
  if (asked.what === 'check') return { waitSeconds: own.waitSeconds(asked.attempt), inRow: 0 }
  own[asked.what](asked.attempt)
  return { waitSeconds: 0, inRow: 0 }
}
