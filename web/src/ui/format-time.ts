/** The exact time, for the title: 16 Nov 2026, 10:28:08 in the browser's zone and language. */
export function exactTime(at: Date, locale?: string): string {
  return at.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** How long ago, or in how long: "12 s ago", "in 3 min", "yesterday", and from a week on the date. */
export function timeAgo(at: Date, now: Date, locale?: string): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  const size = Math.abs(seconds)
  if (size < 1) return 'now'
  if (size >= 7 * day) return shortDate(at, now, locale)
  const [unit, length] = units.find(([, length]) => size >= length) ?? ['s', 1]
  const count = Math.floor(size / length)
  return seconds < 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`
}

/** How long, without a direction: "37 min". */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const [unit, length] = units.find(([, length]) => seconds >= length) ?? ['s', 1]
  return `${Math.floor(seconds / length)} ${unit}`
}

/** Formats a time for lists and receipts: the time of day today, "Yesterday", the weekday within a week, then the date. */
export function clockTime(at: Date, now: Date, locale?: string): string {
  const daysBefore = Math.round((startOfDay(now) - startOfDay(at)) / (day * 1000))
  if (daysBefore === 0) return at.toLocaleTimeString(locale, { timeStyle: 'short' })
  if (daysBefore === 1) return 'Yesterday'
  if (daysBefore > 1 && daysBefore < 7) return at.toLocaleDateString(locale, { weekday: 'short' })
  return shortDate(at, now, locale)
}

/** Formats a time for the column of a log: 24 hours, because AM and PM would break their lines. */
export function secondTime(at: Date, locale?: string): string {
  return at.toLocaleTimeString(locale, { timeStyle: 'medium', hourCycle: 'h23' })
}

/** A date without its year when that is the current one. */
export function shortDate(at: Date, now: Date, locale?: string): string {
  const isThisYear = at.getFullYear() === now.getFullYear()
  return at.toLocaleDateString(locale, { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) })
}

const day = 86_400
const units = [
  ['d', day],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

function startOfDay(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()
}
