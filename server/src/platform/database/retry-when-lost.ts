import { setTimeout as sleep } from 'node:timers/promises'
import { mayPass } from './connection-errors.ts'
import { hasSqlState } from './sql-state.ts'

/** Long enough for a few connections to be made across a slow network; who waits for the answer is still there. */
const retryForMs = 3_000
const pauseMs = 50

/**
 * Tries again when the connection broke, at once and on another one: for what may be done twice, because whether the
 * first time was done is not known. `attempt` is told how often it was tried before.
 */
export async function retryWhenLost<Result>(
  attempt: (triedBefore: number) => Promise<Result>,
  forMs = retryForMs,
): Promise<Result> {
  const giveUpAt = performance.now() + forMs
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt(tried)
    } catch (error) {
      if (!isLostConnection(error) || performance.now() >= giveUpAt) throw error
      if (tried > 0) await sleep(pauseMs)
    }
  }
}

/** The database's own time limits, 55P03 for locks and 57014 for statements, are answers: the connection is well. */
function isLostConnection(error: unknown): boolean {
  return mayPass(error) && !hasSqlState(error, '55P03', '57014')
}
