import type { Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { LeaseBudget } from '../slots/lease-budget.ts'
import type { UnhealthyReceivers } from '../slots/unhealthy-receivers.ts'
import type { DueReceivers } from './due-receivers.ts'
import { openOpenSince } from './open-since.ts'
import { type DueReceiver, findDueReceivers } from './store.ts'

export type ScanCtx = Readonly<{
  db: Db
  dueReceivers: DueReceivers
  leaseBudget: LeaseBudget
  unhealthy: UnhealthyReceivers
}>

/** Looks through all receivers with waiting events, whichever process wrote them. */
export type Scan = {
  request: () => void
  /** It was requested and may begin; one that is put off comes with the next poll. */
  mayRun: () => boolean
  /** Scans one part of the receivers. If it is not the last part, the next one is requested at once. */
  run: () => Promise<void>
  /** Since when this receiver may have open events. */
  openSince: (receiver: Receiver) => string
}

/** After a scan that took longer, none follows for so many times as long: it passes all that cannot be cleaned up. */
const slowMs = 200
const pauseAfterSlow = 5

export function openScan({ db, dueReceivers, leaseBudget, unhealthy }: ScanCtx): Scan {
  let after: Receiver | undefined
  let isRequested = true
  let mayBeginAt = 0
  const openSince = openOpenSince()

  async function run(): Promise<void> {
    isRequested = false
    const began = performance.now()
    const part = await findDueReceivers(db, after)
    const tookMs = performance.now() - began
    if (tookMs > slowMs) mayBeginAt = performance.now() + pauseAfterSlow * tookMs
    openSince.note(part)
    for (const receiver of part.due) {
      updateHealth(receiver)
      dueReceivers.add(receiver)
    }
    after = part.next
    if (part.next) isRequested = true
  }

  /** Other processes may have found out more, and a new address starts healthy. */
  function updateHealth(receiver: DueReceiver): void {
    if (receiver.isFailing) unhealthy.add(receiver)
    else if (!leaseBudget.hasSlow(receiver)) unhealthy.remove(receiver)
  }

  return {
    request: () => {
      isRequested = true
    },
    mayRun: () => isRequested && performance.now() >= mayBeginAt,
    run,
    openSince: openSince.of,
  }
}
