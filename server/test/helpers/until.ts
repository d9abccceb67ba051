import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until it is so; fails after a while with what is said otherwise. */
export async function until(isSo: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  const giveUpAt = performance.now() + 30_000
  while (!(await isSo())) {
    assert.ok(performance.now() < giveUpAt, otherwise)
    await sleep(20)
  }
}
