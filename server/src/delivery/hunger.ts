import { keyOf, type Places } from './places.ts'
import type { Receiver } from './store.ts'

type Asked = Receiver & { room: number }

/** Which receivers more may be due for, as far as this process knows without asking the database. */
export type Hunger = {
  feed: (receiver: Receiver) => void
  has: (receiver: Receiver) => boolean
  /** Those to ask the database for, each with the places that it may take; they are taken. The hungriest come first. */
  choose: (atMost: number) => Asked[]
  /** What was found for them: the rest of their places is free again. */
  found: (asked: Asked[], receivers: Receiver[]) => void
  /**
   * Something for this receiver was settled. What was looked for just before, and not found because it stood in line
   * behind that, is worth another look.
   */
  lookAgain: (receiver: Receiver) => boolean
}

export function openHunger(places: Places, perReceiver: number): Hunger {
  const hungry = new Map<string, Receiver>()
  /** Those who got less than they had room for. */
  const unfed = new Set<string>()
  /** Looking for one at a time would take longer than delivering it; but a few may be all that others have left. */
  const fewest = Math.min(4, Math.ceil(perReceiver / 2))

  function feed({ accountId, kind }: Receiver): void {
    hungry.set(keyOf({ accountId, kind }), { accountId, kind })
  }

  return {
    feed,
    has: (receiver) => hungry.has(keyOf(receiver)),
    choose: (atMost) => {
      const asked: Asked[] = []
      let left = atMost
      for (const [key, receiver] of hungry) {
        const room = Math.min(places.freeFor(receiver), left)
        if (room < fewest) continue // it stays hungry until more have come back
        asked.push({ ...receiver, room })
        left -= room
        hungry.delete(key)
        places.take(receiver, room)
      }
      return asked
    },
    found: (asked, receivers) => {
      for (const { room, ...receiver } of asked) {
        const got = receivers.filter((each) => keyOf(each) === keyOf(receiver)).length
        places.untake(receiver, room - got)
        if (got === room) feed(receiver)
        else unfed.add(keyOf(receiver))
      }
    },
    lookAgain: (receiver) => {
      const isUnfed = unfed.delete(keyOf(receiver))
      if (isUnfed) feed(receiver)
      return isUnfed
    },
  }
}
