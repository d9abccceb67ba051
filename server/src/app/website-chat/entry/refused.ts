import type { ChatRefusal } from '@patchbay/contract/chat/protocol.ts'
import type { ErrorCode } from '@patchbay/contract/errors.ts'
import { Refusal } from '../../../platform/refusal.ts'

/** A refusal with what the chat in the browser is to do about it. */
export class Refused extends Refusal {
  readonly reason: ChatRefusal

  constructor(code: ErrorCode, reason: ChatRefusal, message: string, options?: { retryAfterSeconds?: number }) {
    super(code, message, options)
    this.reason = reason
  }
}

/** Of a visitor, an address or a network that has had what it may have. */
export function tooMuch(waitMs: number): Refused {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return new Refused('RATE_LIMITED', 'slow down', 'That was very much at once; try again later.', { retryAfterSeconds })
}

/** Of a channel whose owner lets only so many in. */
export function full(waitMs: number): Refused {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return new Refused('RATE_LIMITED', 'full', 'Very many are writing just now; try again later.', { retryAfterSeconds })
}

/** Also of what is another's: nobody learns that it is there. */
export function ended(): Refused {
  return new Refused('UNAUTHORIZED', 'ended', 'This chat is not here any more.')
}

export function closed(): Refused {
  return new Refused('FORBIDDEN', 'closed', 'This chat is closed.')
}

export function gone(): Refused {
  return new Refused('NOT_FOUND', 'gone', 'There is no such chat.')
}
