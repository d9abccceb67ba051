import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { keyOf, type Receiver } from '../../../outbox/receivers.ts'
import { mayStart, type SlotLimits } from './slot-limits.ts'
import type { UnhealthyReceivers } from './unhealthy-receivers.ts'

/** The attempts in flight. */
export type SlotsInUse = {
  mayTake: (receiver: Receiver) => boolean
  take: (event: LeasedEvent) => void
  /** False: the event had no slot. */
  free: (event: LeasedEvent) => boolean
  /**
   * Finds the attempts that have been in flight for longer than this and were not slow before. Their receivers become
   * unhealthy, and they now count against the slots of unhealthy receivers, which frees slots for healthy ones.
   */
  markSlow: (leastMs: number) => Receiver[]
}

/** Without the event: a map of events would keep them alive into the old generation, where collecting is expensive. */
type InFlight = Receiver & { token: string; since: number }

/** Calls `onSlow` for every attempt that uses a slot of the unhealthy receivers. */
export function openSlotsInUse(
  limits: SlotLimits,
  unhealthy: UnhealthyReceivers,
  onSlow: (receiver: Receiver, token: string) => void,
): SlotsInUse {
  /** By token, the oldest first. */
  const quick = new Map<string, InFlight>()
  /** Tokens of attempts that are slow, or whose receiver was unhealthy from the start. */
  const slow = new Set<string>()
  const perReceiver = new Map<string, number>()

  function countAsSlow(receiver: Receiver, token: string): void {
    slow.add(token)
    onSlow(receiver, token)
  }

  return {
    mayTake: (receiver) => {
      const toReceiver = perReceiver.get(keyOf(receiver)) ?? 0
      return mayStart(limits, { toReceiver, quick: quick.size, slow: slow.size }, unhealthy.has(receiver))
    },
    take: ({ accountId, receiverId, token }) => {
      const key = keyOf({ accountId, receiverId })
      if (unhealthy.has({ accountId, receiverId })) countAsSlow({ accountId, receiverId }, token)
      else quick.set(token, { accountId, receiverId, token, since: performance.now() })
      perReceiver.set(key, (perReceiver.get(key) ?? 0) + 1)
    },
    free: (event) => {
      if (!quick.delete(event.token) && !slow.delete(event.token)) return false
      const key = keyOf(event)
      const left = (perReceiver.get(key) ?? 0) - 1
      if (left > 0) perReceiver.set(key, left)
      else perReceiver.delete(key)
      return true
    },
    markSlow: (leastMs) => {
      const before = performance.now() - leastMs
      const newlySlow = [...quick.values()].filter(({ since }) => since <= before)
      for (const inFlight of newlySlow) {
        quick.delete(inFlight.token)
        countAsSlow(inFlight, inFlight.token)
        unhealthy.add(inFlight)
      }
      return newlySlow
    },
  }
}
