import { busy } from '../refusal.ts'

/** Does some work for an owner once there is a slot for it; 429 when too much of theirs waits, or for too long. */
export type FairShare = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

type Options = {
  slots: number
  /** Of one owner. */
  mostWaiting: number
  longestMs: number
}

type Waiting = { start: () => void; timer: NodeJS.Timeout }

/**
 * Shares out slots, such as the connections of a pool, so that nobody can hold them all: an owner gets another one while
 * fewer are theirs than half of those that are free. Of ten, one gets four, two get four and two, and so on; the last
 * ones go to owners who have none. What has to wait does so behind the owner's own work, and owners take turns.
 */
export function openFairShare({ slots, mostWaiting, longestMs }: Options): FairShare {
  const held = new Map<string, number>()
  const queues = new Map<string, Set<Waiting>>()
  let free = slots

  function mayTake(owner: string): boolean {
    const theirs = held.get(owner) ?? 0
    return free > 0 && (theirs === 0 || theirs < free / 2)
  }

  function take(owner: string): void {
    free -= 1
    held.set(owner, (held.get(owner) ?? 0) + 1)
  }

  function giveBack(owner: string): void {
    free += 1
    const left = (held.get(owner) ?? 0) - 1
    left > 0 ? held.set(owner, left) : held.delete(owner)
    startNext()
  }

  function startNext(): void {
    for (const [owner, queue] of [...queues]) {
      if (free === 0) return
      const [first] = queue
      if (!first || !mayTake(owner)) continue
      leave(owner, first)
      if (queues.delete(owner)) queues.set(owner, queue) // behind those who have not had their turn
      take(owner)
      first.start()
    }
  }

  function leave(owner: string, waiting: Waiting): void {
    clearTimeout(waiting.timer)
    const queue = queues.get(owner)
    queue?.delete(waiting)
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
      const waiting: Waiting = { start, timer: setTimeout(giveUp, longestMs).unref() }
      queues.getOrInsertComputed(owner, () => new Set()).add(waiting)
    })
  }

  return async (owner, work) => {
    await slotFor(owner)
    try {
      return await work()
    } finally {
      giveBack(owner)
    }
  }
}
