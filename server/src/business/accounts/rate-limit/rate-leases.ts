import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import type { Listener } from '../../../platform/notify/listen.ts'
import { type AskedLease, giveBackParts, type Lease, leaseParts, type UnusedPart } from './rate-window-store.ts'

/** What a process does with the limits that it shares with others. */
export type Leases = {
  lease: (asked: AskedLease) => Promise<Lease>
  giveBack: (unused: UnusedPart) => void
  /** Asks all other processes to give back what they have of this key. */
  recall: (keyHash: string) => void
  /** Calls this when another process recalls a key. */
  onRecall: (recalled: (keyHash: string) => void) => void
  /** Returns when everything that was given back is written. */
  flush: () => Promise<void>
}

type PendingLease = { asked: AskedLease; resolve: (lease: Lease) => void; reject: (error: unknown) => void }

const channel = 'patchbay_rate'
const mostAtOnce = 500

/**
 * Runs one statement at a time, with all keys that were asked for while the last one ran. Of one key only one lease is
 * asked for at a time.
 */
export function openLeases(pool: Pool, listener: Listener): Leases {
  const waiting: PendingLease[] = []
  let returned: UnusedPart[] = []
  let running: Promise<void> | undefined
  const ownId = randomBytes(8).toString('hex')

  async function run(): Promise<void> {
    await new Promise(setImmediate) // gathers what is asked for in this turn of the event loop
    while (waiting.length > 0 || returned.length > 0) {
      const unused = returned
      returned = []
      if (unused.length > 0) await giveBackParts(pool, unused).catch(() => {}) // at worst fewer requests are allowed
      const batch = waiting.splice(0, mostAtOnce)
      if (batch.length > 0) await leaseAll(batch)
    }
    running = undefined
  }

  async function leaseAll(batch: PendingLease[]): Promise<void> {
    try {
      const wanted = batch.map(({ asked }) => asked)
      const leases = await leaseParts(pool, wanted)
      const byKey = new Map(leases.map((lease) => [lease.keyHash, lease]))
      for (const { asked, resolve, reject } of batch) {
        const lease = byKey.get(asked.keyHash)
        if (lease) resolve(lease)
        else reject(new Error('the lease of a rate limit returned no row'))
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function start(): void {
    running ??= run()
  }

  return {
    lease: (asked) => {
      const { promise, resolve, reject } = Promise.withResolvers<Lease>()
      waiting.push({ asked, resolve, reject })
      start()
      return promise
    },
    giveBack: (unused) => {
      returned.push(unused)
      start()
    },
    recall: (keyHash) => void listener.notify(channel, [`${ownId} ${keyHash}`]).catch(() => {}), // at worst fewer are allowed
    onRecall: (recalled) => {
      const onNotification = (payload: string) => {
        const [id, keyHash = ''] = payload.split(' ')
        if (id !== ownId) recalled(keyHash)
      }
      listener.listen(channel, { onNotification })
    },
    flush: async () => running,
  }
}
