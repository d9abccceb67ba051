import type { AccountId } from '../platform/ids.ts'
import type { EventKind, LeasedEvent } from './owe-events.ts'

/**
 * Takes events from those who write them, in memory. What it does not take waits in the table, where the delivery of
 * any process finds it; so nothing depends on it but time.
 */
export type Dispatcher = {
  /** A token to lease the next event with, if it could leave at once. It must be given back, or used in `take`. */
  reserve: (accountId: AccountId, kind: EventKind) => string | undefined
  giveBack: (token: string) => void
  /** The event was written with the reserved token, and committed. */
  take: (event: LeasedEvent) => void
  /** Events were written that nobody has taken, and committed. */
  wake: (receiver?: { accountId: AccountId; kind: EventKind }) => void
}
