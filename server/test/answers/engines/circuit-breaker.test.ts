import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineBusy, EngineError } from '../../../src/answers/engines/common/engine.ts'
import { type CircuitBreakers, openCircuitBreakers } from '../../../src/answers/engines/models/circuit-breaker.ts'
import { never } from '../../helpers/model-world.ts'

const failing = () => Promise.reject(new EngineError('down', { isFinal: false }))
const works = async () => 'ok'
const isBusy = (seconds: number) => (error: unknown) =>
  error instanceof EngineBusy && error.retryAfterSeconds === seconds

const hasNoSlot = (error: unknown) => error instanceof EngineBusy && error.whenFree !== undefined

/** Calls that run until they are ended. */
function startCalls(breakers: CircuitBreakers, key: string, count: number) {
  const ends = Array.from({ length: count }, () => Promise.withResolvers<string>())
  return { ends, calls: ends.map(({ promise }) => breakers.pass(key, never, () => promise)) }
}

test('one call at a time to a new provider, then four; a further call fails at once, with a promise of the next free slot', async () => {
  const breakers = openCircuitBreakers()
  const first = startCalls(breakers, 'a', 1)
  await assert.rejects(breakers.pass('a', never, works), hasNoSlot)
  assert.equal(await breakers.pass('b', never, works), 'ok')
  const refused = await breakers.pass('a', never, works).catch((error) => error)
  first.ends[0]?.resolve('ok')
  await Promise.all(first.calls)
  await refused.whenFree

  const { ends, calls } = startCalls(breakers, 'a', 4)
  await assert.rejects(breakers.pass('a', never, works), hasNoSlot)
  ends[2]?.resolve('ok')
  await calls[2]
  assert.equal(await breakers.pass('a', never, works), 'ok')
  for (const { resolve } of ends) resolve('ok')
  await Promise.all(calls)
})

test('probes share a part of the slots, so that providers with a closed breaker keep the others', async () => {
  const breakers = openCircuitBreakers({ mostProbes: 2, mostCalls: 5 })
  assert.equal(await breakers.pass('well', never, works), 'ok')
  const [one, two] = [startCalls(breakers, 'one', 1), startCalls(breakers, 'two', 1)]
  await assert.rejects(breakers.pass('three', never, works), isBusy(1))
  const well = startCalls(breakers, 'well', 3)
  await assert.rejects(breakers.pass('well', never, works), isBusy(1), 'all slots are taken')
  for (const { ends } of [one, two, well]) for (const { resolve } of ends) resolve('ok')
  await Promise.all([one, two, well].flatMap(({ calls }) => calls))
  assert.equal(await breakers.pass('three', never, works), 'ok')
})

test('five failures in a row open the breaker for a minute; then one probe decides', async () => {
  let now = 1000
  const breakers = openCircuitBreakers({ now: () => now })
  for (let count = 0; count < 4; count += 1) await assert.rejects(breakers.pass('a', never, failing), EngineError)
  await breakers.pass('a', never, works)
  for (let count = 0; count < 5; count += 1) await assert.rejects(breakers.pass('a', never, failing), EngineError)
  now += 20_500
  await assert.rejects(breakers.pass('a', never, works), isBusy(40))
  assert.equal(await breakers.pass('b', never, works), 'ok')
  assert.deepEqual(breakers.count(), { closed: 1, halfOpen: 0, open: 1 })

  now += 40_000
  assert.deepEqual(breakers.count(), { closed: 1, halfOpen: 1, open: 0 })
  const probe = Promise.withResolvers<string>()
  const probing = breakers.pass('a', never, () => probe.promise)
  await assert.rejects(breakers.pass('a', never, works), isBusy(1))
  probe.reject(new EngineError('down', { isFinal: false }))
  await assert.rejects(probing, EngineError)
  await assert.rejects(breakers.pass('a', never, works), isBusy(60))

  now += 60_000
  await assert.rejects(
    breakers.pass('a', never, () => Promise.reject(new Error('called off'))),
    /called off/,
  )
  for (let count = 0; count < 3; count += 1) assert.equal(await breakers.pass('a', never, works), 'ok')
})

test('a final error and an aborted call are neither a failure nor a success of the provider', async () => {
  const breakers = openCircuitBreakers()
  const refused = () => Promise.reject(new EngineError('wrong key', { isFinal: true }))
  for (let count = 0; count < 20; count += 1) await assert.rejects(breakers.pass('a', never, refused), EngineError)
  for (let count = 0; count < 20; count += 1)
    await assert.rejects(breakers.pass('a', never, () => Promise.reject('stop')))
  assert.equal(await breakers.pass('a', never, works), 'ok')
})
