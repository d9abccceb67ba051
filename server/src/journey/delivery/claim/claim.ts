/*
 * Step 1 of a delivery: leases due events from the table, for receivers with free budget. Events that this process
 * wrote itself come leased and skip this step.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { isChannelId, keyOf } from '../../../outbox/receivers.ts'
import type { ClaimRequest } from '../slots/lease-budget.ts'
import { openScan, type Scan, type ScanCtx } from './scan.ts'
import { claimDue, endLeases } from './store.ts'

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
  const { db, pool, dueReceivers } = ctx
  const scan = openScan(ctx)
  let claimedAt = 0
  /** Without channels a conversation has events of one receiver, which costs less to claim. */
  let besideChannels = false

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
      besideChannels ||= scan.hasSeenChannel() || requests.some(({ receiverId }) => isChannelId(receiverId))
      const given = requests.map((request) => ({ ...request, since: scan.openSince(request) }))
      events = await giveBackOthers(requests, await claimDue(pool, given, { besideChannels }))
    } finally {
      dueReceivers.endClaim(requests, events)
    }
    return events
  }

  /** The first event of a channel that this process sees may have been before one that it claimed. Its own claim has it next. */
  async function giveBackOthers(requests: ClaimRequest[], events: LeasedEvent[]): Promise<LeasedEvent[]> {
    if (besideChannels || !events.some(({ receiverId }) => isChannelId(receiverId))) return events
    besideChannels = true
    const asked = new Set(requests.map(keyOf))
    const [ours, others] = [true, false].map((is) => events.filter((event) => asked.has(keyOf(event)) === is))
    await endLeases(db, others ?? [])
    return ours ?? []
  }

  return { requestScan: scan.request, claim, openSince: scan.openSince }
}
