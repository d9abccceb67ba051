import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Counts requests from 0 at a steady rate, whether or not those before were answered, and yields each when it is due.
 * `dueAt`: by this process's clock.
 */
export async function* dueTimes(perSecond: number): AsyncGenerator<{ n: number; dueAt: number }> {
  const beganAt = performance.now()
  for (let n = 0; ; n += 1) {
    const dueAt = beganAt + (n / perSecond) * 1_000
    await sleep(Math.max(0, dueAt - performance.now()))
    yield { n, dueAt }
  }
}
