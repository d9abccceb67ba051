import { isChannelId, type Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { openPauseAfterSlow } from '../../../platform/jobs/pause-after-slow.ts'
import type { LeaseBudget } from '../slots/lease-budget.ts'
import type { UnhealthyReceivers } from '../slots/unhealthy-receivers.ts'
import type { DueReceivers } from './due-receivers.ts'
import { openOpenSince } from './open-since.ts'
import { type DueReceiver, findDueReceivers, type Scanned } from './store.ts'

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
  /** Whether there has been anything to send over a built-in channel. */
  hasSeenChannel: () => boolean
  /** Since when this receiver may have open events. */
  openSince: (receiver: Receiver) => string
}

export function openScan({ db, dueReceivers, leaseBudget, unhealthy }: ScanCtx): Scan {
  let after: Receiver | undefined
  let isRequested = true
  let mayBeginAt = 0
  let hasSeenChannel = false
  const openSince = openOpenSince()
  const pauseAfter = openPauseAfterSlow()

  /** One that fails counts as well: with so much to pass that it takes too long, claims must go on without it. */
  async function scanPart(): Promise<Scanned> {
    const began = performance.now()
    try {
      return await findDueReceivers(db, after)
    } finally {
      mayBeginAt = performance.now() + pauseAfter(performance.now() - began)
    }
  }

  async function run(): Promise<void> {
    isRequested = false
    const part = await scanPart()
    openSince.note(part)
    hasSeenChannel ||= part.open.some(({ receiverId }) => isChannelId(receiverId))
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
    hasSeenChannel: () => hasSeenChannel,
    openSince: openSince.of,
  }
}
