/*
 * Step 1 of a delivery: leases due events from the table, for receivers with free budget. Events that this process
 * wrote itself come leased and skip this step.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import type { ClaimRequest } from '../slots/lease-budget.ts'
import { openScan, type Scan, type ScanCtx } from './scan.ts'
import { claimDue } from './store.ts'

export type Claim = {
  /** Events may be due for any receiver: the next claim scans all of them. */
  requestScan: () => void
  /** Leases due events as far as the lease budget allows, and counts them in it. */
  claim: (atMost: number) => Promise<LeasedEvent[]>
  /** Since when this receiver may have open events. */
  openSince: Scan['openSince']
}

type ClaimCtx = ScanCtx & Readonly<{ pool: Pool }>

/** The wait between two claims: one claim for several receivers costs little more than for one. */
const betweenClaimsMs = 5

export function openClaim(ctx: ClaimCtx): Claim {
  const { pool, dueReceivers } = ctx
  const scan = openScan(ctx)
  let claimedAt = 0

  /** Repeats until events are leased: the receivers of the first requests may have nothing that may be sent now. */
  async function claim(atMost: number): Promise<LeasedEvent[]> {
    for (;;) {
      if (scan.mayRun()) await scan.run()
      await sleep(Math.max(0, claimedAt + betweenClaimsMs - performance.now()))
      const requests = dueReceivers.takeRequests(atMost)
      if (requests.length === 0 && !scan.mayRun()) return []
      const events = requests.length === 0 ? [] : await lease(requests)
      if (events.length > 0) return events
    }
  }

  async function lease(requests: ClaimRequest[]): Promise<LeasedEvent[]> {
    claimedAt = performance.now()
    let events: LeasedEvent[] = []
    try {
      events = await claimDue(
        pool,
        requests.map((request) => ({ ...request, since: scan.openSince(request) })),
      )
    } finally {
      dueReceivers.endClaim(requests, events)
    }
    return events
  }

  return { requestScan: scan.request, claim, openSince: scan.openSince }
}
