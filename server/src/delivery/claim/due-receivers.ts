import type { LeasedEvent } from '../../outbox/owe-events.ts'
import { keyOf, type Receiver } from '../../outbox/receiver.ts'
import type { Asked, LeaseBudget } from '../slots/lease-budget.ts'

/** Which receivers more may be due for, as far as this process knows without asking the database. */
export type DueReceivers = {
  feed: (receiver: Receiver) => void
  has: (receiver: Receiver) => boolean
  /** Those to ask the database for, each with the leaseBudget that it may take; they are taken. The hungriest come first. */
  choose: (atMost: number) => Asked[]
  /** What was found for them: the rest of their leaseBudget is free again. */
  found: (asked: Asked[], events: LeasedEvent[]) => void
  /**
   * Something for this receiver was settled. What was looked for just before, and not found because it stood in line
   * behind that, is worth another look.
   */
  lookAgain: (receiver: Receiver) => boolean
}

export function openDueReceivers(leaseBudget: LeaseBudget): DueReceivers {
  const hungry = new Map<string, Receiver>()
  /** Those who got less than they had room for. */
  const unfed = new Set<string>()

  function feed({ accountId, kind }: Receiver): void {
    hungry.set(keyOf({ accountId, kind }), { accountId, kind })
  }

  return {
    feed,
    has: (receiver) => hungry.has(keyOf(receiver)),
    choose: (atMost) => {
      const all: Asked[] = []
      let left = atMost
      for (const [key, receiver] of hungry) {
        const asked = leaseBudget.ask(receiver, left)
        if (!asked) continue // it stays hungry until more have come back
        all.push(asked)
        left -= asked.room
        hungry.delete(key)
      }
      return all
    },
    found: (all, events) => {
      const byReceiver = Map.groupBy(events, keyOf)
      for (const asked of all) {
        const key = keyOf(asked)
        const got = byReceiver.get(key) ?? []
        leaseBudget.found(asked, got)
        if (got.length === asked.room) feed(asked)
        else unfed.add(key)
      }
    },
    lookAgain: (receiver) => {
      const isUnfed = unfed.delete(keyOf(receiver))
      if (isUnfed) feed(receiver)
      return isUnfed
    },
  }
}
