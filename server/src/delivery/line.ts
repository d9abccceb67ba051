import type { LeasedEvent } from '../outbox/owe-events.ts'
import { keyOf } from './places.ts'
import type { Receiver } from './store.ts'

/** Where events stand that are leased to us, until no more than allowed are on their way to their receiver, and to all. */
export type Line = {
  /** Resolves when it may leave; to false when it was sent back instead. */
  enter: (event: LeasedEvent) => Promise<boolean>
  /** It is no longer on its way, and the next may leave. False: that was known. */
  leave: (event: LeasedEvent) => boolean
  /** Takes out those that wait for this receiver. */
  sendBack: (receiver: Receiver) => LeasedEvent[]
  /** The receivers of those that have waited for longer than this, or all. */
  waitedFor: (leastMs?: number) => Receiver[]
}

type Standing = { event: LeasedEvent; since: number; go: (mayLeave: boolean) => void }

export function openLine({ perReceiver, inAll }: { perReceiver: number; inAll: number }): Line {
  /** Their tokens: a set of the events themselves would drag them into old age, where garbage is dear. */
  const leaving = new Set<string>()
  const leavingFor = new Map<string, number>()
  /** By receiver; the one that was served last comes last. */
  const standing = new Map<string, Standing[]>()

  function mayLeave(key: string): boolean {
    return leaving.size < inAll && (leavingFor.get(key) ?? 0) < perReceiver
  }

  function start(key: string, event: LeasedEvent): void {
    leaving.add(event.token)
    leavingFor.set(key, (leavingFor.get(key) ?? 0) + 1)
  }

  function callNext(): void {
    for (const [key, line] of standing) {
      if (!mayLeave(key)) continue
      const next = line.shift()
      standing.delete(key)
      if (line.length > 0) standing.set(key, line)
      if (!next) continue
      start(key, next.event)
      next.go(true)
      return
    }
  }

  return {
    enter: (event) => {
      const key = keyOf(event)
      if (!standing.has(key) && mayLeave(key)) {
        start(key, event)
        return Promise.resolve(true)
      }
      return new Promise((go) => {
        standing.getOrInsertComputed(key, () => []).push({ event, since: performance.now(), go })
      })
    },
    leave: (event) => {
      if (!leaving.delete(event.token)) return false
      const key = keyOf(event)
      const left = (leavingFor.get(key) ?? 0) - 1
      if (left > 0) leavingFor.set(key, left)
      else leavingFor.delete(key)
      callNext()
      return true
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
