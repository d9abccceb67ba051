import { keyOf, type Receiver } from '../../../outbox/receivers.ts'
import type { Scanned } from './store.ts'

/**
 * Since when each receiver may have open events, by the last scan of all of them. Entries of the index that are older are of
 * events that were settled. Beside a long transaction these cannot be cleaned up, and a claim that passed them all would take
 * longer with each delivery.
 */
export type OpenSince = {
  of: (receiver: Receiver) => string
  /** One part of a scan; the parts follow one another. */
  note: (part: Scanned) => void
}

/** With more, all claims look at everything: then most entries are open. */
const mostReceivers = 10_000

const always = '-infinity'

export function openOpenSince(): OpenSince {
  let [known, others] = [new Map<string, string>(), always]
  let found = new Map<string, string>()
  /** When the first part was scanned. */
  let began: string | undefined

  return {
    of: (receiver) => found.get(keyOf(receiver)) ?? known.get(keyOf(receiver)) ?? others,
    note: ({ open, scannedAt, next }) => {
      began ??= scannedAt
      for (const receiver of open) if (found.size <= mostReceivers) found.set(keyOf(receiver), receiver.since)
      if (next) return
      ;[known, others] = found.size <= mostReceivers ? [found, began] : [new Map(), always]
      ;[found, began] = [new Map(), undefined]
    },
  }
}
