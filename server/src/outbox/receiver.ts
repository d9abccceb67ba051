import type { AccountId } from '../platform/ids.ts'
import type { EventKind } from './owe-events.ts'

/** Where events of one kind of one account go: the address that its holder configured. */
export type Receiver = { accountId: AccountId; kind: EventKind }

export function keyOf({ accountId, kind }: Receiver): string {
  return `${kind} ${accountId}`
}
