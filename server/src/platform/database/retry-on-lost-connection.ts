import { setTimeout as sleep } from 'node:timers/promises'
import { isTransientConnectionError } from './connection-errors.ts'
import { hasSqlState } from './sql-state.ts'

/**
 * No further try begins after this. Connecting waits for a database that restarts or fails over, for 4.5 s at most
 * (`primary-client.ts`), so the caller has its answer after about five seconds.
 */
const retryForMs = 4_000
const pauseMs = 50

/**
 * Retries on another connection when one broke, the first time at once. Only for work that may be done twice, because
 * nobody knows whether the broken attempt was committed. `attempt` gets the number of tries before it.
 */
export async function retryOnLostConnection<Result>(
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

/** The timeouts of the database itself, 55P03 for locks and 57014 for statements, leave the connection intact. */
function isLostConnection(error: unknown): boolean {
  return isTransientConnectionError(error) && !hasSqlState(error, '55P03', '57014')
}
