import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { type Stage, startStage } from '../../src/platform/jobs/loop.ts'

/** What is waited for happens within a few turns of the event loop: nothing here takes time. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn()
}

const mostClaims = 100

/** A stage whose jobs are numbers in a list, and end when the test says so. Time is the test's. */
export function openStage(
  due: number[] = [],
  { claim = async (limit) => due.splice(0, limit), ...options }: Partial<Stage<number>> = {},
) {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const limits: number[] = []
  const running = new Map<number, { end: () => void; fail: (error: Error) => void }>()
  const lines: { level: number; msg: string; stage: string; err?: { message: string } }[] = []
  const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) })
  const stage = startStage<number>(
    {
      name: 'numbers',
      concurrency: 2,
      claim: async (limit) => {
        limits.push(limit)
        if (limits.length > mostClaims) throw new Error('it claims without end') // which would let no test end
        return claim(limit)
      },
      run: (job) => {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        running.set(job, { end: resolve, fail: reject })
        return promise.finally(() => running.delete(job))
      },
      ...options,
    },
    log,
  )
  /** Whether it has stopped by now. */
  const stopping = () => {
    const seen = { hasStopped: false }
    void stage.stop().then(() => {
      seen.hasStopped = true
    })
    return seen
  }
  return {
    due,
    limits,
    running,
    lines,
    stage,
    stopping,
    end: async (job: number) => {
      running.get(job)?.end()
      await settle()
    },
    [Symbol.asyncDispose]: async () => {
      for (const { end } of running.values()) end()
      const seen = stopping()
      await settle()
      mock.timers.reset()
      assert.ok(seen.hasStopped, 'it does not stop') // not waited for: the test would hang
    },
  }
}
