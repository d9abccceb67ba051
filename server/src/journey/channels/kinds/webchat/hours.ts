/*
 * When people answer, as instants: by the clock of the shop's zone, across its changes. A local time that a change leaves out is the
 * one an hour later; of one that comes twice a window begins with the first and ends with the second.
 */

import type { ChatHours } from '@patchbay/contract/chat/settings.ts'
import { Refusal } from '../../../../platform/refusal.ts'

/** Milliseconds since 1970; the last one is no longer part of it. */
type Opening = [from: number, to: number]

const dayMs = 86_400_000

/** A loader is kept for a day at most, and is then still right for a week. */
const daysAhead = 8

/** All days that can be closed, and a week for each of them: when nothing opens until then, nothing ever does. */
const mostDays = 7 * 101

/** What a browser is told, so that it needs no zone. In order, none touching another. Null: always. */
export function openingsAhead(hours: ChatHours | null, at: number): Opening[] | null {
  if (!hours) return null
  const found: Opening[] = []
  for (const [from, to] of openings(hours, at)) {
    const last = found.at(-1)
    if (from >= at + daysAhead * dayMs) break
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else found.push([from, to])
  }
  return found
}

/** Whether people answer at this instant. `opensAt`: when they are next there; null: they are, or nobody knows. */
export function openingAt(hours: ChatHours | null, at: number): { isOpen: boolean; opensAt: number | null } {
  if (!hours) return { isOpen: true, opensAt: null }
  for (const [from] of openings(hours, at))
    return from <= at ? { isOpen: true, opensAt: null } : { isOpen: false, opensAt: from }
  return { isOpen: false, opensAt: null }
}

/** Throws Refusal for what the schema takes and no calendar has. */
export function checkHours({ zone, windows, closed }: ChatHours): void {
  if (!isZone(zone)) refuse(`settings.hours.zone: there is no time zone "${zone}"; one is Europe/Berlin.`)
  windows.forEach(({ from, to }, n) => {
    if (from !== to && from !== '24:00') return
    refuse(`settings.hours.windows.${n} has no length. A whole day is from 00:00 to 24:00.`)
  })
  const wrong = closed.find((day) => !isDay(day))
  if (wrong !== undefined) refuse(`settings.hours.closed: there is no day ${wrong}; one is 2026-12-25.`)
}

function refuse(sentence: string): never {
  throw new Refusal('INVALID_REQUEST', sentence)
}

function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

function isDay(day: string): boolean {
  try {
    return Temporal.PlainDate.from(day, { overflow: 'reject' }).toString() === day
  } catch {
    return false
  }
}

/** Those that have not ended at this instant, by their beginning. They may overlap. */
function* openings(hours: ChatHours, at: number): Generator<Opening> {
  if (hours.windows.length === 0) return
  // A window that began the day before may go on until midnight.
  const first = localDay(at, hours.zone).subtract({ days: 1 })
  for (let days = 0; days <= mostDays; days += 1) {
    for (const opening of openingsOn(first.add({ days }), hours)) if (opening[1] > at) yield opening
  }
}

const localDay = (at: number, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate()

/** Those that begin on this day. One that goes on after midnight ends there if the next day is closed. */
function openingsOn(day: Temporal.PlainDate, { zone, windows, closed }: ChatHours): Opening[] {
  if (closed.includes(day.toString())) return []
  const isClosedNext = closed.includes(day.add({ days: 1 }).toString())
  return windows
    .filter((window) => window.day === day.dayOfWeek)
    .map(({ from, to }): Opening => {
      const goesOn = to < from
      const end =
        goesOn && isClosedNext
          ? instantOf(day, '24:00', zone)
          : instantOf(goesOn ? day.add({ days: 1 }) : day, to, zone, 'later')
      return [instantOf(day, from, zone), end]
    })
    .filter(([from, to]) => from < to)
    .sort(([one], [other]) => one - other)
}

/** The instant at which the clock of the zone shows this; `24:00` is the beginning of the next day. */
function instantOf(
  day: Temporal.PlainDate,
  clock: string,
  zone: string,
  disambiguation: 'compatible' | 'later' = 'compatible',
): number {
  const [hour = 0, minute = 0] = clock.split(':').map(Number)
  const date = hour === 24 ? day.add({ days: 1 }) : day
  return date.toPlainDateTime({ hour: hour % 24, minute }).toZonedDateTime(zone, { disambiguation }).epochMilliseconds
}
