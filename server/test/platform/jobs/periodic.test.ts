import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { startPeriodic } from '../../../src/platform/jobs/periodic.ts'

const silent = pino({ enabled: false })
const long = 3_600_000

/** Rounds that each end when they are told to. */
function openRounds() {
  const rounds: { end: (nextMs?: number) => void; fail: () => void }[] = []
  let atOnce = 0
  const run = async (): Promise<number | undefined> => {
    atOnce += 1
    assert.equal(atOnce, 1, 'two rounds at once')
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    rounds.push({ end: resolve, fail: () => reject(new Error('no database')) })
    await promise.finally(() => {
      atOnce -= 1
    })
    return promise
  }
  return { rounds, run }
}

test('the first round begins at once, and the next one the given time after its end', async () => {
  const { rounds, run } = openRounds()
  const work = startPeriodic({ name: 'test', everyMs: 20, run }, silent)
  assert.equal(rounds.length, 1)
  await sleep(60)
  assert.equal(rounds.length, 1, 'it has not ended')
  rounds[0]?.end()
  while (rounds.length < 2) await sleep(5)
  rounds[1]?.end()
  await work.stop()
})

test('a round may say when the next one begins', async () => {
  const { rounds, run } = openRounds()
  const work = startPeriodic({ name: 'test', everyMs: long, run }, silent)
  rounds[0]?.end(0)
  while (rounds.length < 2) await sleep(5)
  rounds[1]?.end()
  await work.stop()
})

test('whoever wakes it has a round at once, or another one after that which runs, however often it is woken', async () => {
  const { rounds, run } = openRounds()
  const work = startPeriodic({ name: 'test', everyMs: long, run }, silent)
  for (let n = 0; n < 5; n += 1) work.wake()
  assert.equal(rounds.length, 1)
  rounds[0]?.end()
  while (rounds.length < 2) await setImmediate()
  rounds[1]?.end()
  await sleep(20)
  assert.equal(rounds.length, 2)
  work.wake()
  assert.equal(rounds.length, 3)
  rounds[2]?.end()
  await work.stop()
})

test('after a round that failed the next one comes', async () => {
  const { rounds, run } = openRounds()
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push(line) })
  const work = startPeriodic({ name: 'test', everyMs: 5, run }, log)
  rounds[0]?.fail()
  while (rounds.length < 2) await sleep(5)
  assert.match(lines.join(), /"work":"test".*a round of work failed/)
  rounds[1]?.end()
  await work.stop()
})

test('stopping waits for the round that runs, tells it, and begins no other', async () => {
  let signal: AbortSignal | undefined
  const { rounds, run } = openRounds()
  const work = startPeriodic(
    {
      name: 'test',
      everyMs: 1,
      run: (stopping) => {
        signal = stopping
        return run()
      },
    },
    silent,
  )
  let hasStopped = false
  const stopped = work.stop().then(() => {
    hasStopped = true
  })
  assert.equal(signal?.aborted, true)
  work.wake()
  await sleep(10)
  assert.equal(hasStopped, false)
  rounds[0]?.end()
  await stopped
  await sleep(10)
  work.wake()
  assert.equal(rounds.length, 1)
})
