import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openFairShare } from '../../../src/platform/database/fair-share.ts'

/** Work that is done when the test says so, of owners named by a letter. */
function openHeld({ slots = 10, mostWaiting = 100, longestWaitMs = 60_000 } = {}) {
  const share = openFairShare({ slots, mostWaiting, longestWaitMs })
  const atWork: { owner: string; finish: () => void }[] = []
  const start = (owner: string) => share(owner, () => new Promise<void>((finish) => atWork.push({ owner, finish })))
  const owners = () => atWork.map(({ owner }) => owner).join('')
  return { start, atWork, owners }
}

test('one owner gets less than half of the slots, and the last go to owners who have none', async () => {
  const { start, owners } = openHeld()
  for (const owner of 'abcdef') for (let n = 0; n < 20; n += 1) void start(owner)
  await turn()
  assert.equal(owners(), 'aaaabbccde')
})

test('what waits is done in turn by owner, and each owner’s own in order', async () => {
  const { start, atWork, owners } = openHeld({ slots: 1 })
  for (const owner of 'aaabc') void start(owner)
  for (let done = 0; done < 5; done += 1) {
    await turn()
    assert.equal(atWork.length, done + 1, 'one at a time')
    atWork[done]?.finish()
  }
  assert.equal(owners(), 'aabca')
})

const isBusy = ['RATE_LIMITED', 1]

test('who has too much waiting, or for too long, is told to come back; the work is not done', async () => {
  const { start, atWork } = openHeld({ slots: 1, mostWaiting: 2, longestWaitMs: 20 })
  const first = start('a')
  const waiting = Promise.allSettled([start('a'), start('a'), start('a')])
  for (const outcome of await waiting) {
    assert.deepEqual(outcome.status === 'rejected' && [outcome.reason.code, outcome.reason.retryAfterSeconds], isBusy)
  }
  atWork[0]?.finish()
  await first
  await turn()
  assert.equal(atWork.length, 1)
  void start('b')
  await turn()
  assert.equal(atWork.length, 2, 'the slot is free again, also when the work fails')
})
