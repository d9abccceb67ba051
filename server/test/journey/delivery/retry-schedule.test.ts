import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { retryDelaySeconds } from '../../../src/journey/delivery/outcome/retry-schedule.ts'
import { readConfig } from '../../../src/platform/config/config.ts'

/** Printed with every run; set FUZZ_SEED to it to reproduce a failure. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

const { retrySeconds } = readConfig({}).delivery
const overloadedSeconds = 60
const spread = 1.2

const failure = fc.record({
  isOverloaded: fc.boolean(),
  retryAfterSeconds: fc.option(fc.oneof(fc.nat(100), fc.nat(10_000_000)), { nil: undefined }),
})
const receiver = fc.array(fc.option(failure, { nil: 'success' as const }), { minLength: 30, maxLength: 30 })

type Answers = ({ isOverloaded: boolean; retryAfterSeconds: number | undefined } | 'success')[]

/** Delivers one message on a simulated clock; returns when each attempt was made, in seconds. */
function simulate(answers: Answers): { attempts: number[]; isSent: boolean } {
  const attempts: number[] = []
  let now = 0
  for (const answer of answers) {
    attempts.push(now)
    if (answer === 'success') return { attempts, isSent: true }
    const wait = retryDelaySeconds(attempts.length, retrySeconds, answer)
    if (wait === undefined) return { attempts, isSent: false }
    now += wait
  }
  return { attempts, isSent: false }
}

// K04
test('whatever a receiver answers, a reply is retried on schedule until it arrives or eleven attempts are made, within four days', (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  const longest = retrySeconds.reduce((sum, wait) => sum + 2 * Math.max(wait, overloadedSeconds), 0)
  const property = fc.property(receiver, (answers) => {
    const { attempts, isSent } = simulate(answers)
    const firstSuccess = answers.indexOf('success')
    assert.ok(attempts.length <= retrySeconds.length + 1)
    assert.equal(isSent, firstSuccess !== -1 && firstSuccess <= retrySeconds.length)
    assert.equal(attempts.length, isSent ? firstSuccess + 1 : retrySeconds.length + 1)
    for (const [n, scheduled] of retrySeconds.slice(0, attempts.length - 1).entries()) {
      const [answer, waited] = [answers[n], (attempts[n + 1] ?? 0) - (attempts[n] ?? 0)]
      assert.ok(answer && answer !== 'success')
      const least = answer.isOverloaded ? Math.max(scheduled, overloadedSeconds) : scheduled
      const asked = Math.min(answer.retryAfterSeconds ?? 0, 2 * least)
      assert.ok(waited >= Math.max((2 - spread) * least, asked) - 1e-6, `attempt ${n + 2} came after ${waited} s`)
      assert.ok(waited <= Math.max(spread * least, asked) + 1e-6, `attempt ${n + 2} came after ${waited} s`)
    }
    assert.ok((attempts.at(-1) ?? 0) <= longest)
  })
  fc.assert(property, { seed, numRuns: 200 })
})

test('jitter spreads out the retries of events that failed together', () => {
  const waits = Array.from({ length: 200 }, () => retryDelaySeconds(1, retrySeconds, { isOverloaded: false }))
  assert.ok(new Set(waits).size > 150)
})
