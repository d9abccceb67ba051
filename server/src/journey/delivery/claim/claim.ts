/*
 * Step 1 of a delivery: leases due events from the table, for receivers with free budget. Events that this process
 * wrote itself come leased and skip this step.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import type { Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { ClaimRequest, LeaseBudget } from '../slots/lease-budget.ts'
import type { UnhealthyReceivers } from '../slots/unhealthy-receivers.ts'
import type { DueReceivers } from './due-receivers.ts'
import { claimDue, type DueReceiver, findDueReceivers } from './store.ts'

export type Claim = {
  /** Events may be due for any receiver: the next claim scans all of them. */
  requestScan: () => void
  /** Leases due events as far as the lease budget allows, and counts them in it. */
  claim: (atMost: number) => Promise<LeasedEvent[]>
}

type ClaimCtx = Readonly<{
  db: Db
  pool: Pool
  dueReceivers: DueReceivers
  leaseBudget: LeaseBudget
  unhealthy: UnhealthyReceivers
}>

/** The wait between two claims: one claim for several receivers costs little more than for one. */
const betweenClaimsMs = 5

export function openClaim({ db, pool, dueReceivers, leaseBudget, unhealthy }: ClaimCtx): Claim {
  let claimedAt = 0
  let scanAfter: Receiver | undefined
  let mustScan = true

  /** Scans one part of all receivers with waiting events. If it is not the last part, the next scan follows at once. */
  async function scan(): Promise<void> {
    mustScan = false
    const { due, next } = await findDueReceivers(db, scanAfter)
    for (const receiver of due) {
      updateHealth(receiver)
      dueReceivers.add(receiver)
    }
    scanAfter = next
    if (next) mustScan = true
  }

  /** Other processes may have found out more, and a new address starts healthy. */
  function updateHealth(receiver: DueReceiver): void {
    if (receiver.isFailing) unhealthy.add(receiver)
    else if (!leaseBudget.hasSlow(receiver)) unhealthy.remove(receiver)
  }

  /** Repeats until events are leased: the receivers of the first requests may have nothing that may be sent now. */
  async function claim(atMost: number): Promise<LeasedEvent[]> {
    for (;;) {
      if (mustScan) await scan()
      await sleep(Math.max(0, claimedAt + betweenClaimsMs - performance.now()))
      const requests = dueReceivers.takeRequests(atMost)
      if (requests.length === 0 && !mustScan) return []
      const events = requests.length === 0 ? [] : await lease(requests)
      if (events.length > 0) return events
    }
  }

  async function lease(requests: ClaimRequest[]): Promise<LeasedEvent[]> {
    claimedAt = performance.now()
    let events: LeasedEvent[] = []
    try {
      events = await claimDue(pool, requests)
    } finally {
      dueReceivers.endClaim(requests, events)
    }
    return events
  }

  function requestScan(): void {
    mustScan = true
  }

  return { requestScan, claim }
}
