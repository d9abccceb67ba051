import type { ErrorCode } from '@patchbay/contract/errors.ts'

/**
 * A refusal is an answer, not a crash: the caller did something we can name.
 * Its message is shown word for word, so it never carries internals; those
 * travel in `cause`, which only the log sees.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { retryAfterSeconds?: number }) {
    super(message, options)
    this.code = code
    this.retryAfterSeconds = options?.retryAfterSeconds
  }
}
