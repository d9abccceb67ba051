import { duration } from '../ui/format-time.ts'

/** How long so many messages take at a rate, rounded up to a minute from a minute on. */
export function formatTimeFor(messages: number, ratePerMinute: number): string {
  const seconds = Math.ceil((messages / ratePerMinute) * 60)
  return duration((seconds < 60 ? Math.max(1, seconds) : Math.ceil(seconds / 60) * 60) * 1_000)
}
