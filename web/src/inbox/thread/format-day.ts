/** Formats a day: Today, Yesterday, then the weekday and date; the year only if it is another one. */
export function formatDay(at: Date, now: Date, locale?: string): string {
  const days = Math.round((startOf(now) - startOf(at)) / 86_400_000)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  const isThisYear = at.getFullYear() === now.getFullYear()
  return at.toLocaleDateString(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  })
}

function startOf(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()
}
