import { setTimeout as sleep } from 'node:timers/promises'
import type { Leases } from './rate-leases.ts'
import type { Allowance } from './rate-limit.ts'
import type { Lease } from './rate-window-store.ts'

/** A database that does not answer in time must not hold requests up for longer. */
const answersWithinMs = 3_000

/** After a recall it asks again after these pauses: others give back within milliseconds, or when they are less busy. */
const recallPausesMs = [15, 60, 200]

/** After a refusal, requests are refused without asking for this long; it doubles while nothing is left. */
const firstPauseMs = 200
const longestPauseMs = 5_000

/** The window of one key in this process: what it has leased, and the requests that wait for a lease. */
export class LeasedWindow {
  readonly #keyHash: string
  readonly #leases: Leases
  /** Decides without the database, which does not answer. */
  readonly #countAlone: (keyHash: string, limit: number) => Allowance

  #limit = 0
  #number = 0
  #endsAt = 0
  /** What is leased, and not used yet. */
  #unused = 0
  /** What was used since the last lease. A process with few requests leases little, and need not give it back. */
  #used = 0
  /** What no process has leased, as of the last lease. */
  #left = 0
  /** Another process has run out since this one began to serve those that wait. */
  #isRecalled = false
  #refusedUntil = 0
  #pauseMs = firstPauseMs
  #waiting: ((allowance: Allowance) => void)[] = []
  #isServing = false
  #leasing: Promise<Lease> | undefined

  constructor(
    keyHash: string,
    { leases, countAlone }: { leases: Leases; countAlone: (keyHash: string, limit: number) => Allowance },
  ) {
    this.#keyHash = keyHash
    this.#leases = leases
    this.#countAlone = countAlone
  }

  isOver(now: number): boolean {
    return this.#endsAt <= now && !this.#isServing
  }

  /** Decides by what is leased; undefined: only the database can tell. */
  takeLeased(limit: number, now: number): Allowance | undefined {
    if (this.#limit !== limit) this.#changeLimit(limit)
    if (this.isOver(now)) this.#begin(this.#number)
    else if (this.#unused > 0 && this.#waiting.length === 0 && this.#endsAt > now) return this.#allow()
    else if (this.#refusedUntil > now) return this.#refuse()
    return undefined
  }

  takeLater(): Promise<Allowance> {
    const { promise, resolve } = Promise.withResolvers<Allowance>()
    this.#waiting.push(resolve)
    if (!this.#isServing) void this.#serveWaiting()
    return promise
  }

  /** Another process has run out. */
  recall(): void {
    this.#isRecalled = true
    this.giveBack()
  }

  giveBack(): void {
    const [keyHash, number, unused] = [this.#keyHash, this.#number, this.#unused]
    if (unused > 0 && this.#endsAt > performance.now()) this.#leases.giveBack({ keyHash, number, unused })
    this.#unused = 0
  }

  /** What was leased under another limit may be more than this one allows. */
  #changeLimit(limit: number): void {
    this.#limit = limit
    this.#refusedUntil = 0
    this.giveBack()
  }

  #begin(number: number): void {
    this.#number = number
    this.#unused = 0
    this.#refusedUntil = 0
    this.#pauseMs = firstPauseMs
  }

  /** Leases until every waiting request is allowed or refused. */
  async #serveWaiting(): Promise<void> {
    this.#isServing = true
    this.#isRecalled = false
    const pauses = this.#pauseMs === firstPauseMs ? [...recallPausesMs] : []
    while (this.#waiting.length > 0) {
      const lease = await this.#leaseMore()
      if (!lease) {
        for (const resolve of this.#waiting.splice(0)) resolve(this.#countAlone(this.#keyHash, this.#limit))
        break
      }
      while (this.#unused > 0 && this.#waiting.length > 0) this.#waiting.shift()?.(this.#allow())
      if (lease.granted > 0 || this.#waiting.length === 0) continue
      const pause = pauses.shift()
      if (pause === undefined) this.#refuseWaiting()
      else {
        this.#leases.recall(this.#keyHash)
        await sleep(pause)
      }
    }
    if (this.#isRecalled) this.giveBack()
    this.#isServing = false
  }

  /** Leases more; undefined: the database does not answer. What it grants later is kept. */
  async #leaseMore(): Promise<Lease | undefined> {
    const askedAt = performance.now()
    const [keyHash, limit, wanted] = [this.#keyHash, this.#limit, this.#waiting.length]
    const most = wanted + 2 * this.#used
    this.#leasing ??= this.#leases
      .lease({ keyHash, limit, wanted, most })
      .then((lease) => this.#apply(lease, askedAt))
      .finally(() => {
        this.#leasing = undefined
      })
    const answered = new AbortController()
    const late = sleep(answersWithinMs, undefined, { signal: answered.signal }).catch(() => undefined)
    return Promise.race([this.#leasing, late])
      .catch(() => undefined)
      .finally(() => answered.abort())
  }

  #apply(lease: Lease, askedAt: number): Lease {
    if (lease.number !== this.#number) this.#begin(lease.number)
    this.#endsAt = askedAt + lease.endsInMs // not after it ends for the database
    this.#unused += lease.granted
    this.#used = 0
    this.#left = lease.left
    return lease
  }

  #allow(): Allowance {
    this.#unused -= 1
    this.#used += 1
    this.#pauseMs = firstPauseMs
    return { ...this.#counted(), allowed: true, remaining: this.#left + this.#unused }
  }

  #refuse(): Allowance {
    return { ...this.#counted(), allowed: false, remaining: 0 }
  }

  #refuseWaiting(): void {
    this.#refusedUntil = performance.now() + this.#pauseMs
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2)
    for (const resolve of this.#waiting.splice(0)) resolve(this.#refuse())
  }

  #counted(): { limit: number; resetsInSeconds: number } {
    const seconds = Math.ceil((this.#endsAt - performance.now()) / 1_000)
    return { limit: this.#limit, resetsInSeconds: Math.min(60, Math.max(1, seconds)) }
  }
}
