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

/** `Waits`: it is to be tried after so many seconds, and this was no attempt. */
export type Attempt = (Outcome | { status: 'Waits'; seconds: number }) & {
  /** The request; undefined when none was made: then it does not count as an attempt. */
  made: { url: string; durationMs: number } | undefined
  /** The `traceparent` that was sent. */
  traceparent?: string | undefined
}

/** What is stored of an attempt, by the rules that all transports share. */
export type SettlementOf = (event: LeasedEvent, outcome: Outcome & Pick<Attempt, 'made'>) => Settlement

/** `dueInSeconds`: when the event is due again, if that is known. */
export type Settled = SettleResult & { dueInSeconds: number | undefined }

/** How events reach one sort of receiver. Claim, lease, slot, order and pause before it are shared, and so is the circuit breaker. */
export type Transport = Pace &
  Readonly<{
    /** Makes one attempt; never throws for what the other side does. */
    attempt: (event: LeasedEvent) => Promise<Attempt>
    /** Stores what came of it, while the lease holds. */
    settle: (event: LeasedEvent, attempt: Attempt, settlementOf: SettlementOf) => Promise<Settled>
  }>

/** An attempt that could not be made. */
export function notMade(
  category: string,
  detail: string,
): Extract<Outcome, { status: 'Failed' }> & { made: undefined } {
  return { status: 'Failed', error: { category, httpStatus: null, detail }, made: undefined }
}
