import { BoundedMap } from '../../../platform/collections.ts'
import { networkOf } from '../../../platform/https-server/client-address.ts'

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

/** One place opens in so long, whoever it is for. */
const everyMs = 2_000

/** Nobody who has a place waits longer than a minute for it. */
const mostWaiting = 30

/** The places of one network while more than half of the queue is free; after that, one. */
const mostOfNetwork = 4

/** A place that has opened is kept for so long. */
const keptMs = 30_000

/**
 * Those who wait to guess at one account, by client address. Whoever has to wait gets a place that opens at a certain time,
 * so that others who ask more often do not come first; and a network of many addresses has few of them.
 */
class WaitingQueue {
  readonly #places = new Map<string, { network: string; opensAt: number }>()
  #nextAt = 0

  /** How long this client has to wait. Zero: it may guess now, and has used its place. */
  waitMs(client: string, now: number): number {
    for (const [one, { opensAt }] of this.#places) if (now - opensAt > keptMs) this.#places.delete(one)
    const own = this.#places.get(client)
    if (own && own.opensAt > now) return own.opensAt - now
    if (own) {
      this.#places.delete(client)
      return 0
    }
    const opensAt = Math.max(now, this.#nextAt)
    const network = networkOf(client)
    if (!this.#hasPlaceFor(network)) return opensAt + everyMs - now
    this.#nextAt = opensAt + everyMs
    if (opensAt > now) this.#places.set(client, { network, opensAt })
    return opensAt - now
  }

  #hasPlaceFor(network: string): boolean {
    const taken = this.#places.size
    const ofNetwork = this.#places.values().filter((place) => place.network === network)
    return taken < mostWaiting && [...ofNetwork].length < (taken < mostWaiting / 2 ? mostOfNetwork : 1)
  }
}
