import { sql } from 'kysely'
import type { Pace } from './recipient-store.ts'

/** What could not be made in time is made up for, but no more than what the rate gives in this time. */
const madeUpForSeconds = 0.25

/** A step for each message would be too many at a high rate; people do not notice the wait. */
const shortestWaitMs = 20

type Counted = Pick<Pace, 'seconds' | 'madeInLastMinute' | 'inFlight'> & Partial<Pick<Pace, 'busySeconds'>>

/**
 * How many messages may be made now: spread evenly, never more in any 60 seconds than the rate, never more due or in flight than the
 * window, and none while a channel has no place for them. All of it is read from the database, so it holds for all processes together
 * and after a restart.
 */
export function mayMake(ratePerMinute: number, pace: Counted, window: number) {
  const { seconds, madeInLastMinute, inFlight, busySeconds = 0 } = pace
  const each = 60 / ratePerMinute
  const saved = Math.max(1, Math.floor(madeUpForSeconds / each))
  const byPace = Math.min(saved, Math.floor(seconds / each + 1e-6))
  const byMinute = Math.ceil(ratePerMinute - 1e-6) - madeInLastMinute
  const most = busySeconds > 0 ? 0 : Math.max(0, Math.min(byPace, byMinute, window - inFlight))
  const untilNextMs = Math.max(each - Math.min(seconds, each), busySeconds) * 1_000
  return {
    most,
    againInMs: inFlight >= window ? 1_000 : Math.min(1_000, Math.max(shortestWaitMs, untilNextMs)),
    /** `turns`: how many were made; one that takes longer than `each` counts for more. */
    pacedAt: (turns: number) =>
      sql<Date>`greatest(paced_at, now() - ${saved * each} * interval '1 s') + ${turns * each} * interval '1 s'`,
  }
}

/** One message may be made now, the second after the time that the rate gives each. */
export const firstAtOnce = (ratePerMinute: number) => sql<Date>`now() - ${60 / ratePerMinute} * interval '1 s'`
