import { setTimeout as sleep } from 'node:timers/promises'
import { hasSqlState, isTransientConnectionError } from './errors.ts'

const mostTries = 5

/**
 * Retries a write that lost a conflict against another transaction: by the next try that one has finished. `undefined`
 * from the attempt means that its outcome is unknown, and is retried too.
 */
export async function retryConflicts<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  let failure: unknown = new Error('another process kept writing the same row')
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      const result = await attempt()
      if (result !== undefined) return result
    } catch (error) {
      failure = error
      // SQLSTATE class 40: a deadlock or a serialization failure, which is not the statement's fault and passes.
      if (!hasSqlState(error, '40')) break
    }
  }
  throw failure
}

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
