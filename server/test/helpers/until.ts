import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a test waits for what must happen. Only a failing test takes so long, also on a machine with much else to do. */
export const patienceMs = 90_000

/**
 * Waits until the condition holds; fails after a while with this message. It asks less often the longer it waits: most conditions are
 * queries, and many tests wait at once.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  otherwise: string,
  withinMs = patienceMs,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  for (let pauseMs = 20; !(await condition()); pauseMs = Math.min(100, pauseMs * 1.1)) {
    assert.ok(performance.now() < giveUpAt, otherwise)
    await sleep(pauseMs)
  }
}
