import { hasSqlState } from './sql-state.ts'

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
      if (!isConflict(error)) break
    }
  }
  throw failure
}

/** SQLSTATE class 40: a deadlock or a serialization failure, which is not the statement's fault and passes. */
function isConflict(error: unknown): boolean {
  return hasSqlState(error, '40')
}
