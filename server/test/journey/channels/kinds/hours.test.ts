import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatHours } from '@patchbay/contract/chat/settings.ts'
import fc from 'fast-check'
import { checkHours, openingAt, openingsAhead } from '../../../../src/journey/channels/kinds/webchat/hours.ts'
import { Refusal } from '../../../../src/platform/refusal.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const at = (time: string) => Date.parse(time)
const shown = (opensAt: number | null) => opensAt && new Date(opensAt).toISOString()

const daily = (zone: string, from: string, to: string, closed: string[] = []): ChatHours => ({
  zone,
  windows: [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from, to })),
  closed,
})

test('in the night of the clock change people answer by the clock on their wall', () => {
  const night = daily('Europe/Berlin', '22:00', '06:00')
  const day = daily('Europe/Berlin', '09:00', '17:00')

  // Clocks go forward on 29 March 2026 at 01:00 UTC, and back on 25 October 2026 at 01:00 UTC.
  assert.deepEqual(openingsAhead(night, at('2026-03-28T21:30Z'))?.[0], [
    at('2026-03-28T21:00Z'),
    at('2026-03-29T04:00Z'),
  ])
  assert.deepEqual(openingsAhead(night, at('2026-10-24T23:30Z'))?.[0], [
    at('2026-10-24T20:00Z'),
    at('2026-10-25T05:00Z'),
  ])
  assert.equal(shown(openingAt(day, at('2026-03-28T18:00Z')).opensAt), '2026-03-29T07:00:00.000Z')
  assert.equal(shown(openingAt(day, at('2026-10-24T18:00Z')).opensAt), '2026-10-25T08:00:00.000Z')

  // 02:30 does not exist in spring and comes twice in autumn: it is as long as it can be, and never ends before it begins.
  const early = daily('Europe/Berlin', '02:30', '02:45')
  assert.deepEqual(openingsAhead(early, at('2026-03-29T00:00Z'))?.[0], [
    at('2026-03-29T01:30Z'),
    at('2026-03-29T01:45Z'),
  ])
  assert.deepEqual(openingsAhead(early, at('2026-10-25T00:00Z'))?.[0], [
    at('2026-10-25T00:30Z'),
    at('2026-10-25T01:45Z'),
  ])
  // Where the day begins at one o'clock.
  const cairo = daily('Africa/Cairo', '00:00', '24:00')
  assert.deepEqual(openingsAhead(cairo, at('2026-04-23T12:00Z'))?.length, 1)
})

test('days that are closed are closed from midnight to midnight, however long', () => {
  const hours = daily('Europe/Berlin', '20:00', '02:00', ['2026-12-24', '2026-12-26'])
  const asked = (time: string) => {
    const { isOpen, opensAt } = openingAt(hours, at(time))
    return isOpen ? 'open' : shown(opensAt)
  }
  assert.equal(asked('2026-12-23T22:59Z'), 'open')
  assert.equal(asked('2026-12-23T23:00Z'), '2026-12-25T19:00:00.000Z')
  assert.equal(asked('2026-12-25T22:59Z'), 'open')
  assert.equal(asked('2026-12-25T23:00Z'), '2026-12-27T19:00:00.000Z')

  const mondays = Array.from({ length: 100 }, (_, week) =>
    new Date(at('2026-01-05') + week * 7 * dayMs).toISOString().slice(0, 10),
  )
  const rare: ChatHours = { zone: 'UTC', windows: [{ day: 1, from: '10:00', to: '11:00' }], closed: mondays }
  assert.equal(shown(openingAt(rare, at('2026-01-05')).opensAt), '2027-12-06T10:00:00.000Z')
})

test('always, and never', () => {
  assert.equal(openingsAhead(null, 0), null)
  assert.deepEqual(openingAt(null, 0), { isOpen: true, opensAt: null })
  const never = { zone: 'UTC', windows: [], closed: [] }
  assert.deepEqual(openingsAhead(never, 0), [])
  assert.deepEqual(openingAt(never, 0), { isOpen: false, opensAt: null })
})

test('hours that no calendar or clock has are refused with what to do', () => {
  const right = daily('Europe/Berlin', '09:00', '24:00', ['2028-02-29'])
  checkHours(right)
  const [window] = right.windows
  assert.ok(window)
  const wrongs: [ChatHours, string][] = [
    [{ ...right, zone: 'Europe/Atlantis' }, 'hours.zone'],
    [{ ...right, zone: '2026-01-01T00:00Z' }, 'hours.zone'],
    [{ ...right, windows: [{ ...window, to: window.from }] }, 'hours.windows'],
    [{ ...right, windows: [{ ...window, from: '24:00' }] }, 'hours.windows'],
    [{ ...right, closed: ['2026-02-29'] }, 'hours.closed'],
    [{ ...right, closed: ['2026-19-09'] }, 'hours.closed'],
  ]
  for (const [wrong, field] of wrongs) {
    assert.throws(
      () => checkHours(wrong),
      (error) => error instanceof Refusal && error.message.startsWith(`settings.${field}`),
    )
  }
})

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
]
const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '15', '30', '59'))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`)
const window = fc
  .record({ day: fc.integer({ min: 1, max: 7 }), from: clock, to: fc.oneof(clock, fc.constant('24:00')) })
  .filter(({ from, to }) => from !== to)
const instant = fc
  .integer({ min: at('2026-01-01') / 60_000, max: at('2027-12-31') / 60_000 })
  .map((minutes) => minutes * 60_000)
const some = fc.record({
  now: instant,
  zone: fc.constantFrom(...zones),
  windows: fc.array(window, { maxLength: 14 }),
  closedAfter: fc.uniqueArray(fc.integer({ min: -1, max: 9 }), { maxLength: 4 }),
})

/** What the wall says: another way than that of the code. */
function wall(zone: string, now: number) {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  })
  const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]))
  const date = `${part.year}-${part.month}-${part.day}`
  const yesterday = new Date(at(date) - dayMs).toISOString().slice(0, 10)
  return {
    date,
    yesterday,
    clock: `${part.hour}:${part.minute}`,
    weekday: (day: string) => new Date(day).getUTCDay() || 7,
  }
}

function isOpenByTheWall({ zone, windows, closed }: ChatHours, now: number): boolean {
  const { date, yesterday, clock, weekday } = wall(zone, now)
  if (closed.includes(date)) return false
  return windows.some(({ day, from, to }) => {
    if (day === weekday(date) && from <= clock && (to < from || clock < to)) return true
    return to < from && day === weekday(yesterday) && clock < to && !closed.includes(yesterday)
  })
}

const minutesOff = (zone: string, now: number) => {
  const { date, clock } = wall(zone, now)
  return (at(`${date}T${clock}Z`) - now) / 60_000
}

test('people answer when the clock on their wall says so, and a browser that knows no zone finds the same', () => {
  const property = fc.property(
    some,
    fc.array(fc.integer({ min: 0, max: 8 * 24 * 60 - 1 }), { minLength: 5 }),
    (given, later) => {
      const { now, zone, windows, closedAfter } = given
      const closed = closedAfter.map((days) => new Date(now + days * dayMs).toISOString().slice(0, 10))
      const hours = { zone, windows, closed }
      const ahead = openingsAhead(hours, now) ?? []
      for (const [index, [from, to]] of ahead.entries()) {
        assert.ok(from < to && to > now)
        assert.ok(index === 0 || from > (ahead[index - 1]?.[1] ?? 0))
      }
      for (const minutes of [0, ...later]) {
        const then = now + minutes * 60_000
        const { isOpen, opensAt } = openingAt(hours, then)
        assert.equal(
          ahead.some(([from, to]) => from <= then && then < to),
          isOpen,
        )
        const next = ahead.find(([from]) => from > then)?.[0]
        if (!isOpen && next !== undefined) assert.equal(opensAt, next)
        // An hour that a change leaves out or repeats is a matter of taste, and has a test of its own.
        const isNearChange = minutesOff(zone, then - 3 * hourMs) !== minutesOff(zone, then + 3 * hourMs)
        if (!isNearChange) assert.equal(isOpen, isOpenByTheWall(hours, then), new Date(then).toISOString())
      }
    },
  )
  fc.assert(property, { numRuns: 100 })
})
