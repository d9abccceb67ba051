import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualCaps } from '@patchbay/contract/chat/settings.ts'
import { openCounter } from '../../../src/app/website-chat/limits/counter.ts'
import { openLayers } from '../../../src/app/website-chat/limits/layers.ts'
import { clientOf } from '../../../src/platform/https-server/client-address.ts'

const minute = 60_000

/** Layers with a clock that a test turns. */
function atNoon() {
  const clock = { at: 86_400_000 * 20_000 + 43_200_000 }
  return { clock, layers: openLayers(() => clock.at) }
}

const counted = { isCounted: true }

test('a rule is never exceeded in a window, whatever comes when, and what waits is told for how long', () => {
  const counter = openCounter(10)
  const rules = [
    { most: 3, withinMs: 100 },
    { most: 7, withinMs: 1_000 },
  ]
  const taken: number[] = []
  for (let at = 1; at < 5_000; at += 1 + ((at * 7) % 13)) {
    const waitMs = counter.waitMs({ key: 'a', rules }, at)
    if (waitMs > 0) {
      assert.ok(waitMs <= 1_000)
      continue
    }
    counter.add({ key: 'a', rules }, at)
    taken.push(at)
    assert.ok(taken.filter((one) => one > at - 100).length <= 6, 'in any span at most twice as many')
  }
  assert.ok(taken.length >= 28 && taken.length <= 35, `${taken.length} of seven a second`)
})

test('WC16 one address makes 20 new contacts in 10 minutes and 100 a day, and is told when it goes on', () => {
  const { clock, layers } = atNoon()
  const place = layers.placeOf('203.0.113.7')
  const makeAll = () =>
    Array.from({ length: 1_000 }, () => layers.ofPlace(place, 'contact', counted)).filter((ms) => ms === 0)
  assert.equal(makeAll().length, 20)
  assert.equal(layers.ofPlace(place, 'contact', counted), 10 * minute)
  let all = 20
  for (let n = 0; n < 60; n += 1) {
    clock.at += 10 * minute
    all += makeAll().length
  }
  assert.equal(all, 100)
})

test('WC17 neighbours share what their network may, and however many there are, memory is bounded', () => {
  const { layers } = atNoon()
  let made = 0
  for (let n = 0; n < 60_000; n += 1) {
    const client = clientOf(`2001:db8:7:${n.toString(16)}::1`) ?? ''
    if (layers.ofPlace(layers.placeOf(client), 'contact', counted) === 0) made += 1
  }
  assert.equal(made, 60, 'of one /48')
  for (let n = 0; n < 60_000; n += 1) {
    const place = layers.placeOf(`${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.9`)
    layers.ofPlace(place, 'message', counted)
    layers.ofVisitor(`visitor ${n}`, 'message', counted)
  }
  assert.ok(
    layers.sizes.every((size) => size <= 50_000),
    layers.sizes.join(),
  )
})

test('WC17 who goes on and on is not forgotten, however many others come meanwhile', () => {
  const counter = openCounter(100)
  const rules = [{ most: 3, withinMs: 1_000 }]
  let made = 0
  for (let n = 0; n < 10_000; n += 1) {
    const key = n % 50 === 0 ? 'goes on' : `comes once ${n}`
    if (counter.waitMs({ key, rules }, 1) > 0) continue
    counter.add({ key, rules }, 1)
    if (key === 'goes on') made += 1
  }
  assert.equal(made, 3)
  assert.equal(counter.size, 100)
})

test('an address is kept under a name that tells nothing of it and is another one the next day', () => {
  const { clock, layers } = atNoon()
  const first = layers.placeOf('203.0.113.7')
  assert.deepEqual(layers.placeOf('203.0.113.7'), first)
  assert.ok(!JSON.stringify(first).includes('203'))
  assert.deepEqual(layers.placeOf('203.0.113.9').network, first.network)
  clock.at += 86_400_000
  const second = layers.placeOf('203.0.113.7')
  assert.notEqual(second.address.name, first.address.name)
  clock.at += 86_400_000
  const third = layers.placeOf('203.0.113.7')
  assert.ok(!JSON.stringify(third).includes(first.address.name), 'who it was two days ago is not to be found out')
})

test('midnight ends no limit and no block: a flood before it gets no fresh allowance, and all of it is over a day later', () => {
  const { clock, layers } = atNoon()
  clock.at += 43_200_000 - minute // 23:59
  const place = () => layers.placeOf('203.0.113.7')
  const take = () => layers.ofPlace(place(), 'contact', counted)
  const makeAll = () => Array.from({ length: 1_000 }, take).filter((ms) => ms === 0).length
  layers.block(layers.placeOf('203.0.113.8'))
  const isBlocked = () => layers.isBlocked(layers.placeOf('203.0.113.8'))
  assert.equal(makeAll(), 20)
  clock.at += 2 * minute // 00:01
  assert.equal(makeAll(), 0)
  assert.equal(take(), 8 * minute)
  assert.equal(isBlocked(), true)
  let all = 20
  for (; clock.at < 86_400_000 * 20_001 + 20 * 3_600_000; clock.at += 10 * minute) all += makeAll()
  assert.equal(all, 100, 'a day')
  assert.equal(isBlocked(), true)
  clock.at = 86_400_000 * 20_002 - minute - 1
  assert.equal(isBlocked(), true)
  assert.equal(take(), 1)
  clock.at += 1
  assert.equal(isBlocked(), false)
  assert.equal(take(), 0)
})

test('what is over is forgotten: a day after a flood nothing of it is kept', () => {
  const { clock, layers } = atNoon()
  for (let n = 0; n < 1_000; n += 1) {
    const place = layers.placeOf(`198.51.${n >> 8}.${n & 255}`)
    layers.ofPlace(place, 'contact', counted)
    layers.ofVisitor(`visitor ${n}`, 'message', counted)
    layers.block(place)
  }
  clock.at += 86_400_000 + 1
  const place = layers.placeOf('203.0.113.7')
  layers.ofPlace(place, 'contact', counted)
  layers.ofVisitor('somebody', 'message', counted)
  layers.block(place)
  assert.deepEqual(layers.sizes, [1, 1, 1, 0, 1])
})

test('a visitor writes 20 messages a minute and uploads 5 files of 50 MB together, and a channel takes what its owner says', () => {
  const { clock, layers } = atNoon()
  const count = (times: number, take: () => number) =>
    Array.from({ length: times }, take).filter((ms) => ms === 0).length
  assert.equal(
    count(50, () => layers.ofVisitor('a', 'message', counted)),
    20,
  )
  assert.equal(
    count(50, () => layers.ofVisitor('b', 'file', counted)),
    5,
  )
  assert.equal(
    count(9, () => layers.ofVisitor('b', 'fileBytes', { isCounted: true, amount: 9_000_000 })),
    5,
  )
  const caps = { ...usualCaps, messagesAMinute: 3 }
  assert.equal(
    count(9, () => layers.ofChannel(`chn_${'1'.repeat(32)}`, 'message', caps, true)),
    3,
  )
  clock.at += minute
  assert.equal(
    count(50, () => layers.ofVisitor('a', 'message', counted)),
    20,
  )
  const place = layers.placeOf('203.0.113.7')
  layers.block(place)
  assert.equal(layers.isBlocked(place), true)
  assert.equal(layers.isBlocked(layers.placeOf('203.0.113.8')), false)
})
