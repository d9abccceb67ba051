/** Why an attempt failed, as far as the next one depends on it. */
export type Failure = {
  /** The receiver is there, and overloaded or on its way back. */
  needsRest: boolean
  /** What it asked for with Retry-After. */
  retryAfterSeconds?: number | undefined
}

const restSeconds = 60
const jitter = 0.2

/**
 * How long to wait after the `attempts`th attempt has failed; undefined after the last. The receiver may ask for up to
 * twice the time. Nobody's waits are equal, so that what failed together does not come back together.
 */
export function waitAfter(attempts: number, scheduleSeconds: readonly number[], failure: Failure): number | undefined {
  const scheduled = scheduleSeconds[attempts - 1]
  if (scheduled === undefined) return undefined
  const least = failure.needsRest ? Math.max(scheduled, restSeconds) : scheduled
  const wait = least * (1 - jitter + 2 * jitter * Math.random())
  return Math.max(wait, Math.min(failure.retryAfterSeconds ?? 0, 2 * least))
}

/** Seconds, or a date as HTTP writes it. */
export function readRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = String(header ?? '').trim()
  if (/^\d+$/.test(text)) return Number(text)
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now) / 1_000)
}
