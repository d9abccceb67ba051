import type { Pool } from 'pg'
import type { LeasedEvent } from '../outbox/owe-events.ts'
import type { Db } from '../platform/db.ts'
import { keyOf, type Places } from './places.ts'
import { claimDue, findDueReceivers, type Receiver } from './store.ts'

/** Where the next events come from that this process delivers without having written them. */
export type Search = {
  /** More may be due for this receiver. */
  feed: (receiver: Receiver) => void
  /** Whether more was thought to be due for it when there was no place. */
  isHungry: (receiver: Receiver) => boolean
  /** More may be due for anybody. */
  lookAround: () => void
  /** Leases what is due, as far as there are places for it, which it takes. */
  claim: (atMost: number) => Promise<LeasedEvent[]>
}

export function openSearch({ db, pool, places, perReceiver }: SearchCtx): Search {
  /** Those that have waited longest come first. */
  const hungry = new Map<string, Receiver>()
  /** Looking for one at a time would take longer than delivering it. */
  const fewest = Math.ceil(perReceiver / 2)
  let lookFrom: Receiver | undefined
  let mustLook = true

  function feed({ accountId, kind }: Receiver): void {
    hungry.set(keyOf({ accountId, kind }), { accountId, kind })
  }

  async function findHungry(): Promise<void> {
    mustLook = false
    const { due, next } = await findDueReceivers(db, lookFrom)
    for (const receiver of due) feed(receiver)
    lookFrom = next
  }

  function choose(atMost: number): Asked[] {
    const asked: Asked[] = []
    let left = atMost
    for (const [key, receiver] of hungry) {
      const room = Math.min(places.freeFor(receiver), left)
      if (room < fewest) continue // it stays hungry until more have come back
      asked.push({ ...receiver, room })
      hungry.delete(key)
      left -= room
    }
    return asked
  }

  async function claim(atMost: number): Promise<LeasedEvent[]> {
    if (mustLook) await findHungry()
    const asked = choose(atMost)
    if (asked.length === 0) return []
    for (const { room, ...receiver } of asked) for (let n = 0; n < room; n += 1) places.take(receiver)
    const events = await claimDue(pool, asked).catch((error) => {
      giveBack(asked, [])
      throw error
    })
    giveBack(asked, events)
    return events
  }

  /** Those who got all they had room for may be due for more; the others leave the places that they took for nothing. */
  function giveBack(asked: Asked[], events: LeasedEvent[]): void {
    for (const { room, ...receiver } of asked) {
      const got = events.filter((event) => keyOf(event) === keyOf(receiver)).length
      for (let n = got; n < room; n += 1) places.leave(receiver)
      if (got === room) feed(receiver)
    }
  }

  function lookAround(): void {
    mustLook = true
  }

  return { feed, isHungry: (receiver) => hungry.has(keyOf(receiver)), lookAround, claim }
}

type SearchCtx = { db: Db; pool: Pool; places: Places; perReceiver: number }
type Asked = Receiver & { room: number }
