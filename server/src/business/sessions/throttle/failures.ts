import { BoundedMap } from '../../../platform/bounded-map.ts'
import { WaitingQueue } from './waiting-queue.ts'

/** Failures are forgotten after so long without another one. */
const forgottenMs = 15 * 60_000
const mostRemembered = 100_000

/** Failures without a wait, and then the wait, which doubles with each further one. */
export type Bounds = { free: number; firstWaitMs: number; longestWaitMs: number }

type FailureCount = { count: number; lastAt: number; queue?: WaitingQueue }

/** Counts failures of an address, of an account, or of both, by name, in this process's memory. */
export class Failures {
  readonly #byName = new BoundedMap<string, FailureCount>(mostRemembered)
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns how many there are now. */
  count(name: string): number {
    const before = this.#fresh(name)
    const count = (before?.count ?? 0) + 1
    this.#byName.set(name, { ...before, count, lastAt: this.#now() })
    return count
  }

  uncount(name: string): void {
    const found = this.#byName.get(name)
    if (found) found.count -= 1
    if (found?.count === 0) this.#byName.delete(name)
  }

  forget(name: string): void {
    this.#byName.delete(name)
  }

  waitMs(name: string, { free, firstWaitMs, longestWaitMs }: Bounds): number {
    const found = this.#fresh(name)
    if (!found || found.count < free) return 0
    const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (found.count - free))
    return Math.max(0, found.lastAt + wait - this.#now())
  }

  /** Beyond what is free, clients wait in a queue; one that may go on has used its place in it. */
  waitInQueueMs(name: string, free: number, client: string): number {
    const found = this.#fresh(name)
    if (!found || found.count < free) return 0
    found.queue ??= new WaitingQueue()
    return found.queue.waitMs(client, this.#now())
  }

  #fresh(name: string): FailureCount | undefined {
    const found = this.#byName.get(name)
    return found && this.#now() - found.lastAt <= forgottenMs ? found : undefined
  }
}
