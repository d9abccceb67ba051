import { teamWords as words } from './words.ts'

/** The hour at which a snoozed day begins, in the browser's zone: a team is where its users are. */
const morningHour = 9

/** The times that are offered, each later than now. */
export function snoozeTimes(now: Date): { label: string; at: Date }[] {
  const inThreeHours = new Date(now.getTime() + 3 * 3_600_000)
  const daysToMonday = (8 - now.getDay()) % 7 || 7
  return [
    { label: words.inThreeHours, at: inThreeHours },
    { label: words.tomorrow, at: morningOf(now, 1) },
    // On a Sunday tomorrow is the Monday of next week.
    ...(daysToMonday > 1 ? [{ label: words.nextWeek, at: morningOf(now, daysToMonday) }] : []),
  ]
}

function morningOf(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morningHour)
}

/** Formats a time: the time of day today; the weekday within a week; then the date. */
export function formatTime(at: Date, now = new Date(), locale?: string): string {
  const time = at.toLocaleTimeString(locale, { timeStyle: 'short' })
  if (at.toDateString() === now.toDateString()) return time
  const isNear = Math.abs(at.getTime() - now.getTime()) < 6 * 86_400_000
  const day = at.toLocaleDateString(locale, isNear ? { weekday: 'short' } : { day: 'numeric', month: 'short' })
  return `${day} ${time}`
}

/** Returns a time as a field of the type datetime-local has it. */
export function localTime(at: Date): string {
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 16)
}
