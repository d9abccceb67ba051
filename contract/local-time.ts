/** A day and a time of day as a clock on a wall shows them: `2026-03-29` and `02:30`. */
export type LocalTime = { date: string; time: string }

/** `skipped`: no clock there shows it that day. `twice`: it comes two times. Either way `at` is the later moment that may be meant. */
export type Moment = { at: Date; clock: 'once' | 'skipped' | 'twice' }

const dayMs = 86_400_000

/** The moment at which clocks in a time zone show this; undefined: there is no such day or time of day. */
export function momentOf({ date, time }: LocalTime, zone: string): Moment | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || !/^\d\d:\d\d$/.test(time)) return undefined
  const wall = Date.parse(`${date}T${time}:00Z`)
  if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 10) !== date) return undefined
  // Clocks are changed by up to a day, and not twice within three.
  const offsets = new Set([aheadAt(wall - dayMs, zone), aheadAt(wall + dayMs, zone)])
  const candidates = [...offsets].map((ahead) => wall - ahead)
  const shown = candidates.filter((at) => at + aheadAt(at, zone) === wall)
  const clock = shown.length === 0 ? 'skipped' : shown.length === 1 ? 'once' : 'twice'
  return { at: new Date(Math.max(...(shown.length === 0 ? candidates : shown))), clock }
}

/** What clocks in a time zone show at a moment. */
export function localTimeOf(at: Date, zone: string): LocalTime {
  const wall = new Date(at.getTime() + aheadAt(at.getTime(), zone)).toISOString()
  return { date: wall.slice(0, 10), time: wall.slice(11, 16) }
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** By how many milliseconds clocks there are ahead of UTC, to the minute. */
function aheadAt(ms: number, zone: string): number {
  const format = formats.get(zone) ?? formatFor(zone)
  formats.set(zone, format)
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(ms / 60_000) * 60_000
}

function formatFor(zone: string): Intl.DateTimeFormat {
  const digits = '2-digit' as const
  return new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: digits, day: digits, hour: digits, minute: digits },
  })
}
