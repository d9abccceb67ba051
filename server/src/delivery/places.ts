import { randomUUID } from 'node:crypto'
import type { LeasedEvent } from '../outbox/owe-events.ts'
import type { Receiver } from './store.ts'

/**
 * How many events this process may have leased that have no answer yet, for one receiver and for all, and how many it
 * has. What it looked for in the table and what it has written itself are counted apart: neither keeps the other out.
 */
export type Places = {
  /** How many more may be looked for. */
  freeFor: (receiver: Receiver) => number
  /** Takes so many places for what is looked for, or gives them back. */
  take: (receiver: Receiver, count: number) => void
  untake: (receiver: Receiver, count: number) => void
  /** Takes a place for an event that is yet to be written; undefined when none is free. */
  reserve: (receiver: Receiver) => string | undefined
  /** The event was not written with this token. */
  giveBack: (token: string) => boolean
  /** The event has its answer, or is no longer ours. */
  leave: (event: LeasedEvent) => void
  /** The receiver fails, or is slow: for a while no more is leased for it than may be on its way. */
  distrust: (receiver: Receiver) => void
}

/**
 * What is just being written may wait here, this many times as much as may be on its way, to a receiver that is well:
 * leasing it from the start costs nothing, and finding it in the table later half as much as keeping it did.
 */
const ahead = 4
const distrustedMs = 10_000

export function openPlaces({ perReceiver, inAll }: { perReceiver: number; inAll: number }): Places {
  const found = openTally()
  const written = openTally()
  const reserved = new Map<string, string>()
  const distrustedUntil = new Map<string, number>()

  function isTrusted(key: string): boolean {
    const until = distrustedUntil.get(key)
    if (until === undefined) return true
    return performance.now() > until && distrustedUntil.delete(key)
  }

  function giveBack(token: string): boolean {
    const key = reserved.get(token)
    if (key === undefined) return false
    written.add(key, -1)
    return reserved.delete(token)
  }

  return {
    freeFor: (receiver) => Math.min(perReceiver - found.of(keyOf(receiver)), inAll - found.inAll()),
    take: (receiver, count) => found.add(keyOf(receiver), count),
    untake: (receiver, count) => found.add(keyOf(receiver), -count),
    reserve: (receiver) => {
      const key = keyOf(receiver)
      const most = isTrusted(key) ? ahead * perReceiver : perReceiver
      if (written.of(key) >= most || written.inAll() >= ahead * inAll) return undefined
      const token = randomUUID()
      written.add(key, 1)
      reserved.set(token, key)
      return token
    },
    giveBack,
    leave: (event) => {
      if (!giveBack(event.token)) found.add(keyOf(event), -1)
    },
    distrust: (receiver) => void distrustedUntil.set(keyOf(receiver), performance.now() + distrustedMs),
  }
}

function openTally() {
  const counts = new Map<string, number>()
  let all = 0
  return {
    of: (key: string) => counts.get(key) ?? 0,
    inAll: () => all,
    add: (key: string, count: number) => {
      all += count
      const now = (counts.get(key) ?? 0) + count
      if (now > 0) counts.set(key, now)
      else counts.delete(key)
    },
  }
}

export function keyOf({ accountId, kind }: Receiver): string {
  return `${kind} ${accountId}`
}
