import type { Broadcast as Answer, BroadcastCounts } from '@patchbay/contract/api/broadcasts.ts'
import { type Broadcast, waitingForTheirTurn } from '../record/store.ts'

/** recipients = sent + failed + waiting + all of leftOut, at any moment. */
export function countsOf(broadcast: Broadcast): BroadcastCounts {
  const { recipients, open, sent, failed, answered, optedOut, noId, erased, noAddress, idTaken, state } = broadcast
  const withoutTurn = waitingForTheirTurn(broadcast)
  const isStopped = state === 'stopped'
  return {
    recipients,
    sent,
    failed,
    answered,
    waiting: open + (isStopped ? 0 : withoutTurn),
    leftOut: { optedOut, noId, noAddress, idTaken, erased, stopped: isStopped ? withoutTurn : 0 },
  }
}

/** The failures, the most frequent first. */
export function failuresOf({ causes }: Broadcast): Answer['failures'] {
  return Object.entries(causes)
    .map(([cause, count]) => {
      const [category = '', status] = cause.split(' ')
      return { category, httpStatus: status === undefined ? null : Number(status), count }
    })
    .toSorted((one, other) => other.count - one.count)
}
