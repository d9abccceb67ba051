import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import type { DeliveryError } from '../../messages/store.ts'
import type { Failure } from '../outcome/retry-schedule.ts'
import type { Settlement, SettleResult } from '../outcome/settle-store.ts'
import type { Pace } from '../slots/slot-limits.ts'

/** What the receiver made of a request. */
export type Outcome =
  | { status: 'Sent' }
  /** Without `failure`, it is not retried. */
  | { status: 'Failed'; error: DeliveryError; failure?: Failure; isGone?: true }

export type Attempt = Outcome & {
  /** The request; undefined when none was made: then it does not count as an attempt. */
  made: { url: string; durationMs: number } | undefined
  /** The `traceparent` that was sent. */
  traceparent?: string | undefined
}

/** How events reach one sort of receiver. Claim, lease, slot, order and pause before it are shared, and so is the circuit breaker. */
export type Transport = Pace &
  Readonly<{
    /** Makes one attempt; never throws for what the other side does. */
    attempt: (event: LeasedEvent) => Promise<Attempt>
    /** Stores what came of it, while the lease holds. */
    settle: (event: LeasedEvent, settlement: Settlement) => Promise<SettleResult>
  }>

/** An attempt that could not be made. */
export function notMade(category: string, detail: string): Attempt {
  return { status: 'Failed', error: { category, httpStatus: null, detail }, made: undefined }
}
