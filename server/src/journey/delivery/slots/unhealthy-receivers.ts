import { keyOf, type Receiver } from '../../../outbox/receivers.ts'
import { BoundedMap } from '../../../platform/collections.ts'

/**
 * Receivers that this process knows to be unhealthy: the last attempt failed, or one is taking long. They share slots
 * of their own, so that receivers that hang wait for each other and no healthy receiver waits for them. A receiver
 * counts as healthy until its first attempt shows otherwise.
 */
export type UnhealthyReceivers = {
  has: (receiver: Receiver) => boolean
  add: (receiver: Receiver) => void
  remove: (receiver: Receiver) => void
}

/** Beyond this number the oldest entry is dropped; the next attempt to that receiver adds it again. */
const mostKnown = 20_000

export function openUnhealthyReceivers(): UnhealthyReceivers {
  const unhealthy = new BoundedMap<string, true>(mostKnown)
  return {
    has: (receiver) => unhealthy.size > 0 && unhealthy.has(keyOf(receiver)),
    add: (receiver) => void unhealthy.set(keyOf(receiver), true),
    remove: (receiver) => void (unhealthy.size > 0 && unhealthy.delete(keyOf(receiver))),
  }
}
