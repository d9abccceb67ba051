import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localTimeOf, momentOf } from '@patchbay/contract/local-time.ts'
import fc from 'fast-check'

const at = (date: string, time: string, zone: string) => {
  const found = momentOf({ date, time }, zone)
  return found && [found.at.toISOString().slice(0, 16), found.clock]
}

test('a time that clocks show once is that moment, wherever it is', () => {
  assert.deepEqual(at('2026-06-01', '09:00', 'Europe/Berlin'), ['2026-06-01T07:00', 'once'])
  assert.deepEqual(at('2026-12-01', '09:00', 'Europe/Berlin'), ['2026-12-01T08:00', 'once'])
  assert.deepEqual(at('2026-06-01', '09:00', 'UTC'), ['2026-06-01T09:00', 'once'])
  assert.deepEqual(at('2026-06-01', '09:00', 'Asia/Kathmandu'), ['2026-06-01T03:15', 'once'])
  assert.deepEqual(at('2026-01-01', '00:30', 'Pacific/Kiritimati'), ['2025-12-31T10:30', 'once'])
  assert.deepEqual(at('2026-06-01', '00:00', 'America/St_Johns'), ['2026-06-01T02:30', 'once'])
})

test('a time that summer time skips is the later one: as much after the change as it would have been', () => {
  assert.deepEqual(at('2026-03-29', '01:59', 'Europe/Berlin'), ['2026-03-29T00:59', 'once'])
  assert.deepEqual(at('2026-03-29', '02:00', 'Europe/Berlin'), ['2026-03-29T01:00', 'skipped'])
  assert.deepEqual(at('2026-03-29', '02:30', 'Europe/Berlin'), ['2026-03-29T01:30', 'skipped'])
  assert.deepEqual(at('2026-03-29', '03:00', 'Europe/Berlin'), ['2026-03-29T01:00', 'once'])
  assert.deepEqual(at('2026-03-08', '02:15', 'America/New_York'), ['2026-03-08T07:15', 'skipped'])
  assert.deepEqual(at('2026-10-04', '02:10', 'Australia/Lord_Howe'), ['2026-10-03T15:40', 'skipped'])
  assert.deepEqual(at('2026-09-06', '00:30', 'America/Santiago'), ['2026-09-06T04:30', 'skipped'])
  assert.deepEqual(at('2011-12-30', '12:00', 'Pacific/Apia'), ['2011-12-30T22:00', 'skipped'])
})

test('a time that comes twice when summer time ends is the later one', () => {
  assert.deepEqual(at('2026-10-25', '01:59', 'Europe/Berlin'), ['2026-10-24T23:59', 'once'])
  assert.deepEqual(at('2026-10-25', '02:30', 'Europe/Berlin'), ['2026-10-25T01:30', 'twice'])
  assert.deepEqual(at('2026-10-25', '03:00', 'Europe/Berlin'), ['2026-10-25T02:00', 'once'])
  assert.deepEqual(at('2026-11-01', '01:30', 'America/New_York'), ['2026-11-01T06:30', 'twice'])
  assert.deepEqual(at('2026-04-05', '01:45', 'Australia/Lord_Howe'), ['2026-04-04T15:15', 'twice'])
})

test('what is no day or no time of day is none', () => {
  for (const [date, time] of [
    ['2026-02-30', '09:00'],
    ['2026-13-01', '09:00'],
    ['2026-06-01', '25:00'],
    ['', '09:00'],
    ['2026-06-01', ''],
  ] as const) {
    assert.equal(momentOf({ date, time }, 'Europe/Berlin'), undefined, `${date} ${time}`)
  }
})

test('of any moment in any zone the clock leads back to it, or to its second coming, and it agrees with how the language resolves to the later one', () => {
  const zones = Intl.supportedValuesOf('timeZone')
  const moments = fc.integer({ min: Date.UTC(2000, 0) / 60_000, max: Date.UTC(2037, 0) / 60_000 })
  fc.assert(
    fc.property(fc.constantFrom(...zones), moments, (zone, minute) => {
      const moment = new Date(minute * 60_000)
      const { date, time } = localTimeOf(moment, zone)
      const found = momentOf({ date, time }, zone)
      assert.ok(found && found.clock !== 'skipped')
      if (found.clock === 'once') assert.equal(found.at.getTime(), moment.getTime())
      assert.ok(found.at.getTime() >= moment.getTime())
      assert.deepEqual(localTimeOf(found.at, zone), { date, time })
    }),
    { numRuns: 3_000 },
  )
  fc.assert(
    fc.property(fc.constantFrom(...zones), moments, (zone, minute) => {
      const wall = new Date(minute * 60_000).toISOString()
      const [date, time] = [wall.slice(0, 10), wall.slice(11, 16)]
      const later = Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone, { disambiguation: 'later' })
      assert.equal(momentOf({ date, time }, zone)?.at.getTime(), later.epochMilliseconds, `${wall} ${zone}`)
    }),
    { numRuns: 3_000 },
  )
})
