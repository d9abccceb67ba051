import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { keyOf, type Receiver } from '../../../outbox/receivers.ts'
import type { SlotsInUse } from './slots-in-use.ts'

/** Queues events that this process has leased until there is a slot for one more attempt to their receiver. */
export type SlotQueue = {
  /** Resolves to true when the event has a slot, to false when it was removed from the queue. */
  waitForSlot: (event: LeasedEvent) => Promise<boolean>
  /** Frees the slot of the event and gives it to the next one. False: the event had no slot. */
  freeSlot: (event: LeasedEvent) => boolean
  /** Gives out slots that became free without `freeSlot`. */
  fillSlots: () => void
  /** Removes the events that are queued for this receiver, and returns them. */
  remove: (receiver: Receiver) => LeasedEvent[]
  /** The receivers for which an event has been queued for longer than this; without an argument, all with a queue. */
  waitingReceivers: (leastMs?: number) => Receiver[]
}

type QueuedEvent = { event: LeasedEvent; since: number; resolve: (hasSlot: boolean) => void }

export function openSlotQueue(slots: SlotsInUse): SlotQueue {
  /** The queues by receiver, in round-robin order: the receiver that was served last comes last. */
  const queues = new Map<string, QueuedEvent[]>()

  function startNext(): boolean {
    for (const [key, queue] of queues) {
      const [next] = queue
      if (!next || !slots.mayTake(next.event)) continue
      queue.shift()
      queues.delete(key)
      if (queue.length > 0) queues.set(key, queue)
      slots.take(next.event)
      next.resolve(true)
      return true
    }
    return false
  }

  return {
    waitForSlot: (event) => {
      const key = keyOf(event)
      if (!queues.has(key) && slots.mayTake(event)) {
        slots.take(event)
        return Promise.resolve(true)
      }
      return new Promise((resolve) => {
        queues.getOrInsertComputed(key, () => []).push({ event, since: performance.now(), resolve })
      })
    },
    freeSlot: (event) => {
      const hadSlot = slots.free(event)
      if (hadSlot) startNext()
      return hadSlot
    },
    fillSlots: () => {
      while (startNext()) {}
    },
    remove: (receiver) => {
      const queue = queues.get(keyOf(receiver)) ?? []
      queues.delete(keyOf(receiver))
      for (const { resolve } of queue) resolve(false)
      return queue.map(({ event }) => event)
    },
    waitingReceivers: (leastMs = 0) => {
      const before = performance.now() - leastMs
      return [...queues.values()].flatMap(([first]) => (first && first.since <= before ? [first.event] : []))
    },
  }
}
