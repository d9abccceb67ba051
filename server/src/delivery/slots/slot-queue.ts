import type { LeasedEvent } from '../../outbox/owe-events.ts'
import { keyOf, type Receiver } from '../../outbox/receiver.ts'
import type { Slots } from './slots.ts'

/** Where events stand that are leased to us, until there is a slot for one more on its way to their receiver. */
export type SlotQueue = {
  /** Resolves when it may leave; to false when it was sent back instead. */
  enter: (event: LeasedEvent) => Promise<boolean>
  /** It is no longer on its way, and the next may leave. False: that was known. */
  leave: (event: LeasedEvent) => boolean
  /** Slots have become free otherwise. */
  callNext: () => void
  /** Takes out those that wait for this receiver. */
  sendBack: (receiver: Receiver) => LeasedEvent[]
  /** The receivers of those that have waited for longer than this, or all. */
  waitedFor: (leastMs?: number) => Receiver[]
}

type Standing = { event: LeasedEvent; since: number; go: (mayLeave: boolean) => void }

export function openSlotQueue(slots: Slots): SlotQueue {
  /** By receiver; the one that was served last comes last. */
  const standing = new Map<string, Standing[]>()

  function callOne(): boolean {
    for (const [key, line] of standing) {
      const [next] = line
      if (!next || !slots.mayTake(next.event)) continue
      line.shift()
      standing.delete(key)
      if (line.length > 0) standing.set(key, line)
      slots.take(next.event)
      next.go(true)
      return true
    }
    return false
  }

  return {
    enter: (event) => {
      const key = keyOf(event)
      if (!standing.has(key) && slots.mayTake(event)) {
        slots.take(event)
        return Promise.resolve(true)
      }
      return new Promise((go) => {
        standing.getOrInsertComputed(key, () => []).push({ event, since: performance.now(), go })
      })
    },
    leave: (event) => {
      const hadSlot = slots.free(event)
      if (hadSlot) callOne()
      return hadSlot
    },
    callNext: () => {
      while (callOne()) {}
    },
    sendBack: (receiver) => {
      const line = standing.get(keyOf(receiver)) ?? []
      standing.delete(keyOf(receiver))
      for (const { go } of line) go(false)
      return line.map(({ event }) => event)
    },
    waitedFor: (leastMs = 0) => {
      const before = performance.now() - leastMs
      return [...standing.values()].flatMap(([first]) => (first && first.since <= before ? [first.event] : []))
    },
  }
}
