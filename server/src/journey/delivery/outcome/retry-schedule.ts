/*
 * When a webhook is retried by itself. After the nth failed attempt the event waits for the nth entry of
 * DELIVERY_RETRY_SECONDS; when the list is used up, it stays Failed. Not retried at all: HTTP 410, an address that is not
 * allowed, and events first attempted more than a day ago (`settle-store.ts`). After ten failures in a row the receiver's
 * circuit breaker is open: its events wait for a probe to succeed (`claim/store.ts`), whatever their delay. Attempts that a
 * person asked for are not counted here and change none of this.
 */

/** What the delay before the next attempt depends on. */
export type Failure = {
  /** The receiver can be reached, but is overloaded or restarting. */
  isOverloaded: boolean
  /** The receiver's Retry-After header. */
  retryAfterSeconds?: number | undefined
}

const overloadedSeconds = 60
const jitter = 0.2

/**
 * The delay after the `attempts`th attempt has failed; undefined after the last. An overloaded receiver gets a minute
 * at least, and Retry-After can extend the delay up to twice. Jitter spreads out the retries of events that failed
 * together.
 */
export function retryDelaySeconds(
  attempts: number,
  scheduleSeconds: readonly number[],
  failure: Failure,
): number | undefined {
  const scheduled = scheduleSeconds[attempts - 1]
  if (scheduled === undefined) return undefined
  const least = failure.isOverloaded ? Math.max(scheduled, overloadedSeconds) : scheduled
  const delay = least * (1 - jitter + 2 * jitter * Math.random())
  return Math.max(delay, Math.min(failure.retryAfterSeconds ?? 0, 2 * least))
}

/** HTTP statuses of a receiver that is overloaded or restarting. */
export const overloadStatuses: readonly number[] = [429, 502, 503, 504]

/** Reads a Retry-After header: seconds, or an HTTP date. */
export function readRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = String(header ?? '').trim()
  if (/^\d+$/.test(text)) return Number(text)
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1_000)
}
