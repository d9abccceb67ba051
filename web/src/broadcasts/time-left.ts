import { duration } from '../ui/format-time.ts'

/** How long so many messages take at a rate. */
export function formatTimeFor(messages: number, ratePerMinute: number): string {
  return formatSeconds((messages / ratePerMinute) * 60)
}

/** Rounded up to a minute from a minute on. */
export function formatSeconds(exact: number): string {
  const seconds = Math.ceil(exact)
  return duration((seconds < 60 ? Math.max(1, seconds) : Math.ceil(seconds / 60) * 60) * 1_000)
}
