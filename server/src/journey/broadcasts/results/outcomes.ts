import type { Broadcast as Answer, BroadcastCounts } from '@patchbay/contract/api/broadcasts.ts'
import type { Tx } from '../../../platform/database/db.ts'
import {
  type Broadcast,
  type BroadcastRef,
  type Causes,
  lockBroadcast,
  saveBroadcast,
  waitingForTheirTurn,
} from '../record/store.ts'
import { type Outcome, reopenRecipients, settleRecipients, settleTaken } from './outcome-store.ts'

const atOnce = 500

/** Of those that were taken, so many are looked at in a step: what it costs must not grow with how many there are. */
const takenAtOnce = 200

export type NotedOutcomes = {
  change: Partial<Pick<Broadcast, 'open' | 'sent' | 'failed' | 'causes'>>
  count: number
  isFull: boolean
}

/** Takes over the outcomes of deliveries; returns what of the broadcast, which the transaction has locked, must be saved. */
export async function noteOutcomes(tx: Tx, broadcast: Broadcast): Promise<NotedOutcomes> {
  const { accountId, id: broadcastId, open, sent, failed, causes } = broadcast
  const settled = await settleRecipients(tx, { accountId, broadcastId }, atOnce)
  const now = settled.filter((one): one is Outcome => one.state !== 'taken')
  const over = [...now, ...(await settleTaken(tx, { accountId, broadcastId }, somewhere(broadcast)))]
  const failures = over.filter(({ state }) => state === 'failed')
  const arrived = over.length - failures.length
  const change = {
    open: open - over.length,
    sent: sent + arrived,
    failed: failed + failures.length,
    causes: counted(causes, failures, 1),
  }
  return { change, count: over.length, isFull: settled.length === atOnce }
}

/** Anywhere among them, if they are too many for one look: whatever process looks, each has its turn again and again. */
function somewhere({ open, recipients }: Broadcast): { from: number; limit: number } {
  const from = open <= takenAtOnce ? 0 : Math.floor(Math.random() * (recipients + takenAtOnce)) - takenAtOnce
  return { from, limit: takenAtOnce }
}

/** Opens recipients again whose failed messages were sent again; true: there may be more of them. */
export async function reopen(tx: Tx, ref: BroadcastRef): Promise<boolean> {
  const broadcast = await lockBroadcast(tx, ref)
  if (!broadcast) return false
  const again = await reopenRecipients(tx, ref, atOnce)
  if (again.length === 0) return false
  const { open, failed, causes } = broadcast
  const counts = { open: open + again.length, failed: failed - again.length, causes: counted(causes, again, -1) }
  await saveBroadcast(tx, ref, counts)
  return again.length === atOnce
}

function counted(causes: Causes, failures: Outcome[], by: 1 | -1): Causes {
  const counts = new Map(Object.entries(causes))
  for (const { errorCategory, errorHttpStatus } of failures) {
    const cause = errorHttpStatus === null ? String(errorCategory) : `${errorCategory} ${errorHttpStatus}`
    counts.set(cause, (counts.get(cause) ?? 0) + by)
  }
  return Object.fromEntries([...counts].filter(([, count]) => count > 0))
}

/** recipients = sent + failed + waiting + all of leftOut, at any moment. */
export function countsOf(broadcast: Broadcast): BroadcastCounts {
  const { recipients, open, sent, failed, answered, optedOut, noId, erased, noAddress, idTaken, blocked, state } =
    broadcast
  const withoutTurn = waitingForTheirTurn(broadcast)
  const isStopped = state === 'stopped'
  return {
    recipients,
    sent,
    failed,
    answered,
    waiting: open + (isStopped ? 0 : withoutTurn),
    leftOut: { optedOut, blocked, noId, noAddress, idTaken, erased, stopped: isStopped ? withoutTurn : 0 },
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
