import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { LeasedEvent } from '../../outbox/owe-events.ts'
import type { Receiver } from '../../outbox/receiver.ts'
import type { Db } from '../../platform/database/db.ts'
import type { LeaseBudget } from '../slots/lease-budget.ts'
import type { UnhealthyReceivers } from '../slots/unhealthy-receivers.ts'
import type { DueReceivers } from './due-receivers.ts'
import { claimDue, type DueReceiver, findDueReceivers } from './store.ts'

/** Where the next events come from that this process delivers without having written them. */
export type Search = {
  /** More may be due for anybody. */
  lookAround: () => void
  /** Leases what is due, as far as there are leaseBudget for it, which it takes. */
  claim: (atMost: number) => Promise<LeasedEvent[]>
}

type SearchCtx = Readonly<{
  db: Db
  pool: Pool
  dueReceivers: DueReceivers
  leaseBudget: LeaseBudget
  unhealthy: UnhealthyReceivers
}>

/** Between two claims: several receivers together cost little more than one. */
const restMs = 5

export function openSearch({ db, pool, dueReceivers, leaseBudget, unhealthy }: SearchCtx): Search {
  let claimedAt = 0
  let lookFrom: Receiver | undefined
  let mustLook = true

  /** One part of all receivers that something waits for. A part that is not the last is followed by the next one. */
  async function findHungry(): Promise<void> {
    mustLook = false
    const { due, next } = await findDueReceivers(db, lookFrom)
    for (const receiver of due) {
      judge(receiver)
      dueReceivers.feed(receiver)
    }
    lookFrom = next
    if (next) mustLook = true
  }

  /** What other processes found out, or changed with a new address. */
  function judge(receiver: DueReceiver): void {
    if (receiver.isFailing) unhealthy.begin(receiver)
    else if (!leaseBudget.hasSlow(receiver)) unhealthy.end(receiver)
  }

  /** Until something is found: those who are asked first may have nothing that may leave now. */
  async function claim(atMost: number): Promise<LeasedEvent[]> {
    for (;;) {
      if (mustLook) await findHungry()
      await sleep(Math.max(0, claimedAt + restMs - performance.now()))
      const asked = dueReceivers.choose(atMost)
      if (asked.length === 0 && !mustLook) return []
      const events = asked.length === 0 ? [] : await lease(asked)
      if (events.length > 0) return events
    }
  }

  async function lease(asked: ReturnType<DueReceivers['choose']>): Promise<LeasedEvent[]> {
    claimedAt = performance.now()
    let events: LeasedEvent[] = []
    try {
      events = await claimDue(pool, asked)
    } finally {
      dueReceivers.found(asked, events)
    }
    return events
  }

  function lookAround(): void {
    mustLook = true
  }

  return { lookAround, claim }
}
