import type { ChatHours } from '@patchbay/contract/chat/settings.ts'

type Opening = [from: number, to: number]

const dayMs = 86_400_000
const daysAhead = 8

/**
 * When people answer in the next days, for the preview: what the server tells the chat, but for the night in which a clock is
 * changed. Null: always, and as long as the zone is not typed.
 */
export function openingsOf({ zone, windows, closed }: ChatHours, at: number): Opening[] | null {
  const offsetAt = openOffsets(zone)
  if (!offsetAt) return null
  const instantOf = (local: number) => {
    const guess = local - offsetAt(local)
    return local - offsetAt(guess)
  }
  const today = Math.floor((at + offsetAt(at)) / dayMs)
  const days = Array.from({ length: daysAhead + 1 }, (_, n) => today - 1 + n)
  const isClosed = (day: number) => closed.includes(new Date(day * dayMs).toISOString().slice(0, 10))
  const found = days.flatMap((day) => {
    if (isClosed(day)) return []
    // The first day of all was a Thursday, which is 4.
    const own = windows.filter((one) => one.day === ((((day + 3) % 7) + 7) % 7) + 1)
    return own.flatMap(({ from, to }): Opening[] => {
      const [begins, ends] = [minutesOf(from), minutesOf(to)]
      if (begins === undefined || ends === undefined) return []
      const goesOn = ends < begins
      const until = goesOn && isClosed(day + 1) ? 24 * 60 : ends + (goesOn ? 24 * 60 : 0)
      return [[instantOf(day * dayMs + begins * 60_000), instantOf(day * dayMs + until * 60_000)]]
    })
  })
  return found.filter(([, to]) => to > at).sort(([one], [other]) => one - other)
}

/** Undefined: it is still being typed. */
function minutesOf(clock: string): number | undefined {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(clock) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

/** How far the clock of a zone is ahead of UTC at an instant, in milliseconds; undefined: there is no such zone. */
function openOffsets(timeZone: string): ((at: number) => number) | undefined {
  if (timeZone === '') return undefined
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23' },
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
    })
    return (at) => {
      const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
      return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / 60_000) * 60_000
    }
  } catch {
    return undefined
  }
}
