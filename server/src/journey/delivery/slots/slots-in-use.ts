import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { keyOf, type Receiver } from '../../../outbox/receivers.ts'
import { openTally } from '../../../platform/collections.ts'
import { mayStart, type Pace, type SlotLimits } from './slot-limits.ts'
import type { UnhealthyReceivers } from './unhealthy-receivers.ts'

/** The attempts in flight. */
export type SlotsInUse = {
  mayTake: (receiver: Receiver) => boolean
  take: (event: LeasedEvent) => void
  /** Frees the slot of the event; false: it had none. */
  free: (event: LeasedEvent) => boolean
  /**
   * Finds the attempts that have been in flight for longer than their transport allows and were not slow before. Their receivers become
   * unhealthy, and they now count against the slots of unhealthy receivers, which frees slots for healthy ones.
   */
  markSlow: () => Receiver[]
}

/** It has no event: a map of events would keep them alive into the old generation, where collecting is expensive. */
type AttemptInFlight = Receiver & { token: string; since: number }

type SlotsCtx = Readonly<{
  unhealthy: UnhealthyReceivers
  paceOf: (receiver: Receiver) => Pace
  /** Called for every attempt that uses a slot of the unhealthy receivers. */
  onSlow: (receiver: Receiver, token: string) => void
}>

export function openSlotsInUse(limits: SlotLimits, { unhealthy, paceOf, onSlow }: SlotsCtx): SlotsInUse {
  /** Attempts by token, the oldest first. */
  const quick = new Map<string, AttemptInFlight>()
  /** Tokens of attempts that are slow, or whose receiver was unhealthy from the start. */
  const slow = new Set<string>()
  const perReceiver = openTally()

  function countAsSlow(receiver: Receiver, token: string): void {
    slow.add(token)
    onSlow(receiver, token)
  }

  return {
    mayTake: (receiver) => {
      const toReceiver = perReceiver.of(keyOf(receiver))
      const counts = { toReceiver, perReceiver: paceOf(receiver).inFlight, quick: quick.size, slow: slow.size }
      return mayStart(limits, counts, unhealthy.has(receiver))
    },
    take: ({ accountId, receiverId, token }) => {
      const key = keyOf({ accountId, receiverId })
      if (unhealthy.has({ accountId, receiverId })) countAsSlow({ accountId, receiverId }, token)
      else quick.set(token, { accountId, receiverId, token, since: performance.now() })
      perReceiver.add(key, 1)
    },
    free: (event) => {
      if (!quick.delete(event.token) && !slow.delete(event.token)) return false
      perReceiver.add(keyOf(event), -1)
      return true
    },
    markSlow: () => {
      const now = performance.now()
      const newlySlow = [...quick.values()].filter((one) => now - one.since >= paceOf(one).slowAfterMs)
      for (const inFlight of newlySlow) {
        quick.delete(inFlight.token)
        countAsSlow(inFlight, inFlight.token)
        unhealthy.add(inFlight)
      }
      return newlySlow
    },
  }
}
