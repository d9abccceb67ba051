import type { LeasedEvent } from '../../outbox/owe-events.ts'
import { keyOf, type Receiver } from '../../outbox/receiver.ts'
import type { Asked, Places } from '../slots/lease-limits.ts'

/** Which receivers more may be due for, as far as this process knows without asking the database. */
export type Hunger = {
  feed: (receiver: Receiver) => void
  has: (receiver: Receiver) => boolean
  /** Those to ask the database for, each with the places that it may take; they are taken. The hungriest come first. */
  choose: (atMost: number) => Asked[]
  /** What was found for them: the rest of their places is free again. */
  found: (asked: Asked[], events: LeasedEvent[]) => void
  /**
   * Something for this receiver was settled. What was looked for just before, and not found because it stood in line
   * behind that, is worth another look.
   */
  lookAgain: (receiver: Receiver) => boolean
}

export function openHunger(places: Places): Hunger {
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
        const asked = places.ask(receiver, left)
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
        places.found(asked, got)
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
