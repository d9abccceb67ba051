import type { ErrorCode } from '@patchbay/contract/errors.ts'

/**
 * A refusal is an answer, not a crash: the caller did something we can name.
 * Its message is shown word for word, so it never carries internals; those
 * travel in `cause`, which only the log sees.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
