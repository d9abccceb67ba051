import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openYieldToRequests } from '../../../src/platform/jobs/yield-to-requests.ts'

test('small pieces of work share a pause, a larger one has its own, and a stop ends it', async () => {
  const stopping = new AbortController()
  const pause = openYieldToRequests(stopping.signal)
  let hasPaused = false
  setTimeout(() => {
    hasPaused = true
  }, 0) // fires before the pause ends however late both are, which setImmediate does not on a busy machine
  for (let n = 0; n < 3; n += 1) await pause(5)
  assert.equal(hasPaused, false)
  await pause(5)
  assert.equal(hasPaused, true)

  const long = pause(60_000) // ten seconds, if nothing ended it
  stopping.abort()
  await long
})
