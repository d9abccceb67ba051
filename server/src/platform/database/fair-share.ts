import { openTally } from '../collections.ts'
import { busy } from '../refusal.ts'

/** Runs work for an owner once it has a slot; refuses with 429 when too much of this owner waits, or for too long. */
export type FairShare = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

type Options = {
  slots: number
  /** The limit for each owner. */
  mostWaiting: number
  longestWaitMs: number
  /** Shows how many wait. */
  meter?: { waiting: number } | undefined
}

type Waiter = { start: () => void; timer: NodeJS.Timeout }

/**
 * Shares slots, such as the connections of a pool, so that no owner can take them all: an owner with slots gets another
 * one while it has fewer than half as many as are free. Of ten slots, one owner gets four, two get four and two, and so
 * on; the last ones go to owners who have none. Work waits in a queue of its owner, and owners take turns.
 */
export function openFairShare({ slots, mostWaiting, longestWaitMs, meter }: Options): FairShare {
  const slotsOf = openTally()
  const queues = new Map<string, Set<Waiter>>()
  let free = slots

  function mayTake(owner: string): boolean {
    const taken = slotsOf.of(owner)
    return free > 0 && (taken === 0 || taken < free / 2)
  }

  function take(owner: string): void {
    free -= 1
    slotsOf.add(owner, 1)
  }

  function release(owner: string): void {
    free += 1
    slotsOf.add(owner, -1)
    startNext()
  }

  function startNext(): void {
    for (const [owner, queue] of [...queues]) {
      if (free === 0) return
      const [first] = queue
      if (!first || !mayTake(owner)) continue
      leave(owner, first)
      if (queues.delete(owner)) queues.set(owner, queue) // behind the owners who have not had their turn
      take(owner)
      first.start()
    }
  }

  function leave(owner: string, waiting: Waiter): void {
    clearTimeout(waiting.timer)
    const queue = queues.get(owner)
    if (queue?.delete(waiting) && meter) meter.waiting -= 1
    if (queue?.size === 0) queues.delete(owner)
  }

  function slotFor(owner: string): Promise<void> | undefined {
    const queue = queues.get(owner)
    if (!queue && mayTake(owner)) return void take(owner)
    if (queue && queue.size >= mostWaiting) return Promise.reject(busy())
    return new Promise((start, refuse) => {
      const giveUp = () => {
        leave(owner, waiting)
        refuse(busy())
      }
      const waiting: Waiter = { start, timer: setTimeout(giveUp, longestWaitMs).unref() }
      queues.getOrInsertComputed(owner, () => new Set()).add(waiting)
      if (meter) meter.waiting += 1
    })
  }

  return async (owner, work) => {
    await slotFor(owner)
    try {
      return await work()
    } finally {
      release(owner)
    }
  }
}
