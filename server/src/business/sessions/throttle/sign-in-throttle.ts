import { Refusal } from '../../../platform/refusal.ts'
import { type Bounds, Failures } from './failures.ts'

const perAddress: Bounds = { free: 20, firstWaitMs: 1_000, longestWaitMs: 60_000 }
const perAccountAndAddress: Bounds = { free: 5, firstWaitMs: 1_000, longestWaitMs: 60_000 }
/** Failures of an account from all addresses together; after them guesses wait in a queue. */
const freeOfAccount = 50

export type Pair = { email: string; address: string }
export type Attempt = Pair & { isKnownAddress: boolean }

export type SignInThrottle = {
  /** Throws when this address has to wait before it tries this account again, which is known without the database. */
  check: (pair: Pair) => void | Promise<void>
  /**
   * Takes a place for an attempt before its password is checked, or throws when it has to wait: it counts as a failure from
   * now on, so that attempts at the same time count as well. Returns how many failures in a row the pair has.
   */
  take: (attempt: Attempt) => number | Promise<number>
  /** The password was right: what the pair has failed is forgotten. */
  succeeded: (attempt: Attempt) => void
  /** The password was not checked. */
  release: (attempt: Attempt) => void
}

/** `waitSeconds` 0: it may go on. */
export type AttemptResult = { waitSeconds: number; inRow: number }

/** The throttle, counted in this process's memory. */
export type OwnThrottle = {
  waitSeconds: (pair: Pair) => number
  tryTake: (attempt: Attempt) => AttemptResult
} & Pick<SignInThrottle, 'succeeded' | 'release'>

/**
 * Slows the guessing of passwords down: of many passwords from one address, of one account from one address, and of one
 * account from many addresses. From an address where the user signed in before, only their own failures there count.
 * Counted in this process's memory.
 */
export function countSignIns(now: () => number = () => performance.now()): OwnThrottle {
  const failures = new Failures(now)

  /** The queue is asked last: whoever may not guess for another reason takes no place in it. */
  function waitMs(attempt: Attempt): number {
    const { both, address, account } = namesOf(attempt)
    const own = failures.waitMs(both, perAccountAndAddress)
    if (own > 0 || attempt.isKnownAddress) return own
    const ofAddress = failures.waitMs(address, perAddress)
    return ofAddress > 0 ? ofAddress : failures.waitInQueueMs(account, freeOfAccount, attempt.address)
  }

  return {
    waitSeconds: (pair) => inSeconds(failures.waitMs(namesOf(pair).both, perAccountAndAddress)),
    tryTake: (attempt) => {
      const waitSeconds = inSeconds(waitMs(attempt))
      if (waitSeconds > 0) return { waitSeconds, inRow: 0 }
      const { address, account, both } = namesOf(attempt)
      failures.count(address)
      failures.count(account)
      return { waitSeconds, inRow: failures.count(both) }
    },
    succeeded: (attempt) => {
      const { address, account, both } = namesOf(attempt)
      failures.uncount(address)
      failures.uncount(account)
      failures.forget(both)
    },
    release: (attempt) => {
      for (const name of Object.values(namesOf(attempt))) failures.uncount(name)
    },
  }
}

const namesOf = ({ email, address }: Pair) => ({
  address: `address ${address}`,
  both: `both ${address} ${email}`,
  account: `account ${email}`,
})

const inSeconds = (ms: number) => Math.ceil(ms / 1_000)

/** The throttle of a process that serves alone. */
export function openSignInThrottle(own: OwnThrottle = countSignIns()): SignInThrottle {
  return {
    check: (pair) => refuseWhileWaiting(own.waitSeconds(pair)),
    take: (attempt) => {
      const { waitSeconds, inRow } = own.tryTake(attempt)
      refuseWhileWaiting(waitSeconds)
      return inRow
    },
    succeeded: own.succeeded,
    release: own.release,
  }
}

export function refuseWhileWaiting(seconds: number): void {
  if (seconds <= 0) return
  throw new Refusal('RATE_LIMITED', `Too many attempts; try again in ${seconds} s.`, { retryAfterSeconds: seconds })
}
