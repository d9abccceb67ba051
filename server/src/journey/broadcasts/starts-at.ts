import { limits } from '@patchbay/contract/limits.ts'
import { Refusal } from '../../platform/refusal.ts'

const dayMs = 86_400_000
const isoWithOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** Reads when a broadcast is to start. Without an offset nobody knows which moment is meant, so that it is refused. */
export function readStartsAt(text: string, now: number = Date.now()): Date {
  const at = isoWithOffset.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at) || !isDay(text)) {
    throw new Refusal(
      'INVALID_REQUEST',
      'startsAt must be a time in ISO 8601 with an offset, such as 2026-06-01T09:00:00+02:00.',
    )
  }
  if (at <= now) {
    throw new Refusal('INVALID_REQUEST', 'startsAt is in the past; leave it out to start at once.')
  }
  if (at > now + limits.broadcast.daysAhead * dayMs) {
    throw new Refusal('INVALID_REQUEST', 'startsAt is more than a year ahead.')
  }
  return new Date(at)
}

/** `Date.parse` takes the 31st of a month that has 30 days for the first of the next. */
function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
}
