/*
 * Step 4 of a delivery: stores the outcome of an attempt and ends the lease. retry-schedule.ts decides when a failed event
 * is attempted again.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { type LeasedEvent, leaseSeconds } from '../../../outbox/enqueue-events.ts'
import { openGroupCommit } from '../../../platform/group-commit/group-commit.ts'
import type { CommitMeter } from '../../../platform/metrics/instruments.ts'
import { type Settlement, type SettleResult, settle, settleArrived } from './settle-store.ts'

/** Only the next message of the conversation waits for an outcome; three in one commit cost little more than one. */
const gatherMs = 10

/**
 * The two statements have a group commit each, so that a row that fails in one does not fail the other. The first one is
 * measured: nearly all outcomes go through it.
 */
export function openSettle(
  pool: Pool,
  meter: CommitMeter,
): (event: LeasedEvent, settlement: Settlement) => Promise<SettleResult> {
  const shared = { gatherMs, ownerOf: ({ accountId }: Settlement) => accountId }
  const settleShort = openGroupCommit((settlements: Settlement[]) => settleArrived(pool, settlements), {
    ...shared,
    meter,
  })
  const settleFull = openGroupCommit((settlements: Settlement[]) => settle(pool, settlements), shared)

  async function settleOnce({ attempts, asked, isProbe }: LeasedEvent, settlement: Settlement): Promise<SettleResult> {
    const arrivedFirstTime = settlement.status === 'Sent' && attempts === 0 && asked === null && !isProbe
    const settled = arrivedFirstTime ? await settleShort(settlement) : undefined
    return settled?.isOurs ? settled : settleFull(settlement)
  }

  return (event, settlement) => retryWhileLeased(event, () => settleOnce(event, settlement))
}

/** While the lease holds no other process attempts the event, so it is worth waiting for a short database outage. */
export async function retryWhileLeased<Result>(event: LeasedEvent, settleIt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await settleIt()
    } catch (error) {
      if (leaseSecondsLeft(event) <= 1) throw error
      await sleep(500)
    }
  }
}

export function leaseSecondsLeft({ leasedAt }: LeasedEvent): number {
  return leaseSeconds - (performance.now() - leasedAt) / 1_000
}
