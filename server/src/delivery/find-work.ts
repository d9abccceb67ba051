import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { LeasedEvent } from '../outbox/owe-events.ts'
import type { Db } from '../platform/db.ts'
import type { Hunger } from './hunger.ts'
import { claimDue, findDueReceivers, type Receiver } from './store.ts'

/** Where the next events come from that this process delivers without having written them. */
export type Search = {
  /** More may be due for anybody. */
  lookAround: () => void
  /** Leases what is due, as far as there are places for it, which it takes. */
  claim: (atMost: number) => Promise<LeasedEvent[]>
}

/** Between two claims: several receivers together cost little more than one. */
const restMs = 5

export function openSearch({ db, pool, hunger }: { db: Db; pool: Pool; hunger: Hunger }): Search {
  let claimedAt = 0
  let lookFrom: Receiver | undefined
  let mustLook = true

  async function findHungry(): Promise<void> {
    mustLook = false
    const { due, next } = await findDueReceivers(db, lookFrom)
    for (const receiver of due) hunger.feed(receiver)
    lookFrom = next
  }

  async function claim(atMost: number): Promise<LeasedEvent[]> {
    if (mustLook) await findHungry()
    await sleep(Math.max(0, claimedAt + restMs - performance.now()))
    const asked = hunger.choose(atMost)
    if (asked.length === 0) return []
    claimedAt = performance.now()
    let events: LeasedEvent[] = []
    try {
      events = await claimDue(pool, asked)
    } finally {
      hunger.found(asked, events)
    }
    return events
  }

  function lookAround(): void {
    mustLook = true
  }

  return { lookAround, claim }
}
