import type { LeasedEvent } from './enqueue-events.ts'
import type { Receiver } from './receivers.ts'

/**
 * Hands events that this process has just written to its delivery, in memory. Events that it does not take wait in the
 * table, where the delivery of any process finds them: only speed depends on it.
 */
export type Dispatcher = {
  /** A token to lease the next event with, if it could be sent at once. It must be given back, or used in `take`. */
  reserve: (receiver: Receiver) => string | undefined
  giveBack: (token: string) => void
  /** The event was written with the reserved token, and committed. */
  take: (event: LeasedEvent) => void
  /** Events were written without a lease, and committed. */
  wake: (receiver?: Receiver) => void
}
