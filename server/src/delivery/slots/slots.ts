import type { LeasedEvent } from '../../outbox/owe-events.ts'
import { keyOf, type Receiver } from '../../outbox/receiver.ts'
import { mayStart, type SlotLimits } from './slot-limits.ts'
import type { UnhealthyReceivers } from './unhealthy-receivers.ts'

/** Which attempts are on their way. */
export type Slots = {
  mayTake: (receiver: Receiver) => boolean
  take: (event: LeasedEvent) => void
  /** False: it had none. */
  free: (event: LeasedEvent) => boolean
  /**
   * Those that have been on their way for longer than this and were not known to be slow. Their receivers are in unhealthy
   * from now on, and they use the slots of such, so that others may leave.
   */
  slowDown: (leastMs: number) => Receiver[]
}

/** Not the event itself: a map of those would drag them into old age, where garbage is dear. */
type Leaving = Receiver & { token: string; since: number }

/** `isSlow` is told of every one that uses a slot of the receivers in unhealthy. */
export function openSlots(
  limits: SlotLimits,
  unhealthy: UnhealthyReceivers,
  isSlow: (receiver: Receiver, token: string) => void,
): Slots {
  /** By token, the oldest first; and the tokens of those that are slow, or whose receiver was in unhealthy from the start. */
  const quick = new Map<string, Leaving>()
  const slow = new Set<string>()
  const perReceiver = new Map<string, number>()

  function takeSlow(receiver: Receiver, token: string): void {
    slow.add(token)
    isSlow(receiver, token)
  }

  return {
    mayTake: (receiver) => {
      const toThis = perReceiver.get(keyOf(receiver)) ?? 0
      return mayStart(limits, { toThis, quick: quick.size, slow: slow.size }, unhealthy.has(receiver))
    },
    take: ({ accountId, kind, token }) => {
      const key = keyOf({ accountId, kind })
      if (unhealthy.has({ accountId, kind })) takeSlow({ accountId, kind }, token)
      else quick.set(token, { accountId, kind, token, since: performance.now() })
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
    slowDown: (leastMs) => {
      const before = performance.now() - leastMs
      const slowed = [...quick.values()].filter(({ since }) => since <= before)
      for (const leaving of slowed) {
        quick.delete(leaving.token)
        takeSlow(leaving, leaving.token)
        unhealthy.begin(leaving)
      }
      return slowed
    },
  }
}
