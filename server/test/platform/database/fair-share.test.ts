import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openFairShare } from '../../../src/platform/database/fair-share.ts'

/** Work that ends when the test finishes it, of owners named by a letter. */
function openControlled({ slots = 10, mostWaiting = 100, longestWaitMs = 60_000 } = {}) {
  const share = openFairShare({ slots, mostWaiting, longestWaitMs })
  const running: { owner: string; finish: () => void }[] = []
  const start = (owner: string) => share(owner, () => new Promise<void>((finish) => running.push({ owner, finish })))
  const owners = () => running.map(({ owner }) => owner).join('')
  return { start, running, owners }
}

test('one owner gets less than half of the slots, and the last go to owners who have none', async () => {
  const { start, running, owners } = openControlled()
  const all = Array.from('abcdef').flatMap((owner) => Array.from({ length: 20 }, () => start(owner)))
  await turn()
  assert.equal(owners(), 'aaaabbccde')
  for (let done = 0; done < all.length; done += 1) {
    running[done]?.finish()
    await turn()
  }
  await Promise.all(all) // what still waited would be refused while other tests of this process run
})

test('waiting work runs round-robin by owner, and in order for each owner', async () => {
  const { start, running, owners } = openControlled({ slots: 1 })
  for (const owner of 'aaabc') void start(owner)
  for (let done = 0; done < 5; done += 1) {
    await turn()
    assert.equal(running.length, done + 1, 'one at a time')
    running[done]?.finish()
  }
  assert.equal(owners(), 'aabca')
})

const isBusy = ['RATE_LIMITED', 1]

test('work of an owner who has too much waiting, or that waits too long, is refused as busy and does not run', async () => {
  const { start, running } = openControlled({ slots: 1, mostWaiting: 2, longestWaitMs: 20 })
  const first = start('a')
  const waiting = Promise.allSettled([start('a'), start('a'), start('a')])
  for (const outcome of await waiting) {
    assert.deepEqual(outcome.status === 'rejected' && [outcome.reason.code, outcome.reason.retryAfterSeconds], isBusy)
  }
  running[0]?.finish()
  await first
  await turn()
  assert.equal(running.length, 1)
  void start('b')
  await turn()
  assert.equal(running.length, 2, 'the slot is free again')
})
