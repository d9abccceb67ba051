import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockTime, duration, timeAgo } from '../src/ui/format-time.ts'

const now = new Date(2026, 10, 16, 10, 30, 0)
const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000)

test('a time is said as people say it: how long ago or in how long, from a week on the date', () => {
  const said = [0, 12, 59, 60, 3_599, 3_600, 86_399, 86_400, 6 * 86_400, 7 * 86_400, 400 * 86_400].map((seconds) =>
    timeAgo(before(seconds), now, 'en-GB'),
  )
  const minutes = ['1 min ago', '59 min ago', '1 h ago', '23 h ago']
  assert.deepEqual(said, ['now', '12 s ago', '59 s ago', ...minutes, '1 d ago', '6 d ago', '9 Nov', '12 Oct 2025'])
  assert.equal(timeAgo(before(-192), now), 'in 3 min')
  assert.equal(duration(37 * 60_000), '37 min')
})

test('in a list it is the time of day today, then yesterday by the calendar, the weekday, the date', () => {
  const said = [before(60), before(11 * 3_600), before(3 * 86_400), before(8 * 86_400), before(400 * 86_400)].map(
    (at) => clockTime(at, now, 'en-GB'),
  )
  assert.deepEqual(said, ['10:29', 'Yesterday', 'Fri', '8 Nov', '12 Oct 2025'])
})
