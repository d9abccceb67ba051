import { networkOf } from '../../../platform/https-server/client-address.ts'

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
export class WaitingQueue {
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
