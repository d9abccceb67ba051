import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedMap, openTally } from '../../../src/platform/collections.ts'

test('a bounded map drops what was set longest ago, and setting again makes an entry new', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  assert.deepEqual(
    [...map],
    [
      ['a', 3],
      ['c', 4],
    ],
  )
})

test('the oldest entry is known after whatever was set, set again, deleted and cleared', () => {
  let state = 7
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return (state >> 8) % below
  }
  const map = new BoundedMap<number, number>(4)
  let model: number[] = []
  for (let step = 0; step < 20_000; step += 1) {
    const [key, act] = [random(7), random(40)]
    if (act === 0) map.clear()
    else if (act < 12) map.delete(key)
    else if (act < 30) map.set(key, step)
    else assert.equal(map.oldest()?.key, model[0], `step ${step}`)
    if (act < 30) model = act === 0 ? [] : model.filter((one) => one !== key).concat(act < 12 ? [] : [key])
    model = model.slice(-4)
    assert.deepEqual([...map.keys()], model, `step ${step}`)
  }
})

test('a computed value is bounded too, computed once, and found values keep their age', () => {
  const map = new BoundedMap<string, number | undefined>(2)
  let computed = 0
  const next = () => {
    computed += 1
    return computed === 1 ? undefined : computed
  }
  assert.deepEqual([map.getOrInsertComputed('a', next), map.getOrInsertComputed('a', next)], [undefined, undefined])
  for (const key of ['b', 'a', 'c']) map.getOrInsertComputed(key, next)
  assert.deepEqual([...map.keys(), computed], ['b', 'c', 3])
})

test('a tally counts by key and in total, and keeps no key that has come to zero', () => {
  const tally = openTally()
  tally.add('a', 2)
  tally.add('b', 1)
  tally.add('a', -1)
  tally.add('b', -1)
  assert.deepEqual([tally.of('a'), tally.of('b'), tally.of('c'), tally.total()], [1, 0, 0, 1])
})
