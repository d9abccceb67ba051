import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until the condition holds; fails after a while with this message. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  otherwise: string,
  withinMs = 30_000,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  while (!(await condition())) {
    assert.ok(performance.now() < giveUpAt, otherwise)
    await sleep(20)
  }
}
