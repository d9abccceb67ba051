import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGates } from '../src/engines/breaker.ts'
import { EngineBusy, EngineError } from '../src/engines/engine.ts'
import { never } from './model-world.ts'

const down = () => Promise.reject(new EngineError('down', { isFinal: false }))
const works = async () => 'ok'
const isBusy = (seconds: number) => (error: unknown) =>
  error instanceof EngineBusy && error.retryAfterSeconds === seconds

test('four calls at once for one provider, the others in line, in their order; other providers do not wait', async () => {
  const gates = openGates()
  const started: number[] = []
  const ends: (() => void)[] = []
  const calls = Array.from({ length: 7 }, (_, number) =>
    gates.pass('a', never, () => {
      started.push(number)
      return new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  await gates.pass('b', never, works)
  assert.deepEqual(started, [0, 1, 2, 3])
  ends[2]?.()
  await calls[2]
  await Promise.resolve()
  assert.deepEqual(started, [0, 1, 2, 3, 4])
  for (let at = 0; at < ends.length; at += 1) {
    ends[at]?.()
    await new Promise(setImmediate)
  }
  await Promise.all(calls)
  assert.deepEqual(started, [0, 1, 2, 3, 4, 5, 6])
})

test('who gives up in line leaves it, and keeps nobody from a place', async () => {
  const gates = openGates({ mostAtOnce: 1 })
  const first = Promise.withResolvers<void>()
  const running = gates.pass('a', never, () => first.promise)
  const stop = new AbortController()
  const waiting = gates.pass('a', stop.signal, works)
  const last = gates.pass('a', never, works)
  stop.abort('enough')
  await assert.rejects(waiting, (error) => error === 'enough')
  first.resolve()
  await running
  assert.equal(await last, 'ok')
  await assert.rejects(gates.pass('a', stop.signal, works), (error) => error === 'enough')
  assert.equal(await gates.pass('a', never, works), 'ok')
})

test('five failures in a row close the gate for a minute, also for those in line; then one call finds out', async () => {
  let now = 1000
  const gates = openGates({ now: () => now })
  for (let count = 0; count < 4; count += 1) await assert.rejects(gates.pass('a', never, down), EngineError)
  await gates.pass('a', never, works)
  for (let count = 0; count < 4; count += 1) await assert.rejects(gates.pass('a', never, down), EngineError)
  const last = Promise.withResolvers<void>()
  const running = Array.from({ length: 4 }, () => gates.pass('a', never, () => last.promise))
  const waiting = gates.pass('a', never, works)
  last.reject(new EngineError('down', { isFinal: false }))
  await assert.rejects(waiting, isBusy(60))
  await Promise.allSettled(running)
  now += 20_500
  await assert.rejects(gates.pass('a', never, works), isBusy(40))
  assert.equal(await gates.pass('b', never, works), 'ok')

  now += 40_000
  const probe = Promise.withResolvers<string>()
  const probing = gates.pass('a', never, () => probe.promise)
  await assert.rejects(gates.pass('a', never, works), isBusy(5))
  probe.reject(new EngineError('down', { isFinal: false }))
  await assert.rejects(probing, EngineError)
  await assert.rejects(gates.pass('a', never, works), isBusy(60))

  now += 60_000
  await assert.rejects(
    gates.pass('a', never, () => Promise.reject(new Error('called off'))),
    /called off/,
  )
  assert.equal(await gates.pass('a', never, works), 'ok')
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => gates.pass('a', never, works))), ['ok', 'ok', 'ok'])
})

test('a refusal for good and a call that is called off say nothing about whether a provider works', async () => {
  const gates = openGates()
  const refused = () => Promise.reject(new EngineError('wrong key', { isFinal: true }))
  for (let count = 0; count < 20; count += 1) await assert.rejects(gates.pass('a', never, refused), EngineError)
  for (let count = 0; count < 20; count += 1) await assert.rejects(gates.pass('a', never, () => Promise.reject('stop')))
  assert.equal(await gates.pass('a', never, works), 'ok')
})
