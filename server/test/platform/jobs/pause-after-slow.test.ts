import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPauseAfterSlow } from '../../../src/platform/jobs/pause-after-slow.ts'

test('looks for work pause after the second slow one in a row, never for longer than ten seconds', () => {
  const pauseAfter = openPauseAfterSlow()
  const times = [5, 250, 100, 250, 300, 400, 60_000, 20, 1_000]
  assert.deepEqual(times.map(pauseAfter), [0, 0, 0, 0, 1_500, 2_000, 10_000, 0, 0])
})
