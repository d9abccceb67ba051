import { Refusal } from '../platform/refusal.ts'

type Failures = { count: number; lastAt: number }

/** Failures are forgotten after so long without another one. */
const forgottenMs = 15 * 60_000
const mostRemembered = 100_000

/** Failures without a wait, and then the wait, which doubles with each further one. */
type Bounds = { free: number; firstWaitMs: number; longestWaitMs: number }

const perAddress: Bounds = { free: 20, firstWaitMs: 1_000, longestWaitMs: 60_000 }
const perAccountAndAddress: Bounds = { free: 5, firstWaitMs: 1_000, longestWaitMs: 60_000 }
/** From all addresses together. The wait stays short: nobody can lock the owner out by guessing. */
const perAccount: Bounds = { free: 50, firstWaitMs: 1_000, longestWaitMs: 2_000 }

export type Attempt = { email: string; address: string; isKnownAddress: boolean }

export type SignInThrottle = {
  /** Throws when the attempt must wait. Call it before the password is checked. */
  check: (attempt: Attempt) => void | Promise<void>
  /** Returns how many in a row there were for this e-mail address from this address. */
  failed: (attempt: Attempt) => number | Promise<number>
  succeeded: (attempt: Attempt) => void
}

/** The same, counted in this process's memory. `waitSeconds`: how long the attempt must wait. */
type OwnThrottle = { failed: (attempt: Attempt) => number; check: (attempt: Attempt) => void } & Pick<
  SignInThrottle,
  'succeeded'
> & { waitSeconds: (attempt: Attempt) => number }

/**
 * Slows the guessing of passwords down: of many passwords from one address, of one account from one address, and of one
 * account from many addresses. From an address where the user signed in before, only their own failures there count.
 * Counted in this process's memory.
 */
export function openSignInThrottle(now: () => number = () => performance.now()): OwnThrottle {
  const failures = new Map<string, Failures>()

  function waitMs(key: string, { free, firstWaitMs, longestWaitMs }: Bounds): number {
    const known = failures.get(key)
    if (!known || known.count < free || now() - known.lastAt > forgottenMs) return 0
    const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (known.count - free))
    return known.lastAt + wait - now()
  }

  function count(key: string): number {
    const known = failures.get(key)
    const isFresh = known !== undefined && now() - known.lastAt <= forgottenMs
    failures.delete(key) // so that the entries stay ordered by their last failure
    const counted = isFresh ? known.count + 1 : 1
    failures.set(key, { count: counted, lastAt: now() })
    if (failures.size > mostRemembered) for (const [oldest] of failures.entries().take(1)) failures.delete(oldest)
    return counted
  }

  const keysOf = ({ email, address }: Attempt) => ({
    address: `address ${address}`,
    both: `both ${address} ${email}`,
    account: `account ${email}`,
  })

  function waitSeconds(attempt: Attempt): number {
    const keys = keysOf(attempt)
    const waits = [0, waitMs(keys.both, perAccountAndAddress)]
    if (!attempt.isKnownAddress) waits.push(waitMs(keys.address, perAddress), waitMs(keys.account, perAccount))
    return Math.ceil(Math.max(...waits) / 1_000)
  }

  return {
    waitSeconds,
    check: (attempt) => refuseWhileWaiting(waitSeconds(attempt)),
    failed: (attempt) => {
      const { address, account, both } = keysOf(attempt)
      count(address)
      count(account)
      return count(both)
    },
    succeeded: (attempt) => {
      failures.delete(keysOf(attempt).both)
    },
  }
}

export function refuseWhileWaiting(seconds: number): void {
  if (seconds <= 0) return
  const message = `Too many attempts; try again in ${seconds} s.`
  throw new Refusal('RATE_LIMITED', message, { retryAfterSeconds: seconds })
}
