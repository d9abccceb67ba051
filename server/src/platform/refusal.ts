import type { ErrorCode } from '@patchbay/contract/errors.ts'

/**
 * An error that is the answer to the caller, not a crash. Its message is sent word for word, so it never contains
 * internals; those go into `cause`, which only the log shows.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined
  /** What somebody else said, such as a provider, word for word: beside the message, which is ours. */
  readonly quote: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options?: ErrorOptions & { retryAfterSeconds?: number; quote?: string | undefined },
  ) {
    super(message, options)
    this.code = code
    this.retryAfterSeconds = options?.retryAfterSeconds
    this.quote = options?.quote
  }
}

/** The answer when a queue is full or a request has waited in it for too long: nothing was done. */
export function busy(): Refusal {
  return new Refusal('RATE_LIMITED', 'The server is busy; try again in a second.', { retryAfterSeconds: 1 })
}
