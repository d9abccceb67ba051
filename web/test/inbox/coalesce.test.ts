import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { coalesce } from '../../src/inbox/data/coalesce.ts'

test('the first hint is followed at once, those that come meanwhile together, and none is missed', async () => {
  const runs: string[][] = []
  const gates: (() => void)[] = []
  const add = coalesce<string>((items) => {
    runs.push([...items])
    return new Promise<void>((done) => gates.push(done))
  }, 0)
  add('a')
  assert.deepEqual(runs, [['a']])
  for (const each of ['b', 'c', 'b']) add(each)
  assert.equal(runs.length, 1)
  gates[0]?.()
  while (runs.length < 2) await wait(1)
  assert.deepEqual(runs, [['a'], ['b', 'c']])
})

test('a refresh that fails does not end the following of hints', async () => {
  let runs = 0
  const add = coalesce<string>(async () => {
    runs += 1
    throw new Error('lost')
  }, 0)
  add('a')
  while (runs < 1) await wait(1)
  add('b')
  while (runs < 2) await wait(1)
  assert.equal(runs, 2)
})
