/*
 * Step 2 of a delivery: a leased event waits in the slot queue until one more attempt to its receiver may start.
 * Healthy and unhealthy receivers have slots of their own, so that receivers that hang delay only each other.
 */

import type { Receiver } from '../../../outbox/receivers.ts'
import { type LeaseBudget, openLeaseBudget } from './lease-budget.ts'
import { type Pace, type SlotLimits, slotLimits } from './slot-limits.ts'
import { openSlotQueue, type SlotQueue } from './slot-queue.ts'
import { openSlotsInUse, type SlotsInUse } from './slots-in-use.ts'
import { openUnhealthyReceivers, type UnhealthyReceivers } from './unhealthy-receivers.ts'

/** What this process knows about the attempts that it makes, and about their receivers. */
export type Slots = {
  limits: SlotLimits
  unhealthy: UnhealthyReceivers
  leaseBudget: LeaseBudget
  inUse: SlotsInUse
  queue: SlotQueue
}

export function openSlots(paceOf: (receiver: Receiver) => Pace): Slots {
  const limits = slotLimits
  const unhealthy = openUnhealthyReceivers()
  const leaseBudget = openLeaseBudget(limits, unhealthy, (receiver) => paceOf(receiver).inFlight)
  const inUse = openSlotsInUse(limits, { unhealthy, paceOf, onSlow: leaseBudget.markSlow })
  return { limits, unhealthy, leaseBudget, inUse, queue: openSlotQueue(inUse) }
}
