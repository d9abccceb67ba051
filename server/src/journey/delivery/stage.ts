/*
 * Runs all deliveries of this process. The steps of one delivery: an event is leased (claim/, or when it is written),
 * waits for a slot (slots/), is given to its receiver once (transports/), and its outcome is stored, with the time of the
 * next attempt if it failed (outcome/). deliver.ts does the last two steps.
 */

import type { Pool } from 'pg'
import type { Dispatcher } from '../../outbox/dispatcher.ts'
import type { LeasedEvent } from '../../outbox/enqueue-events.ts'
import type { Receiver } from '../../outbox/receivers.ts'
import type { Db } from '../../platform/database/db.ts'
import { startStage } from '../../platform/jobs/loop.ts'
import { type IsDue, startPolling } from '../../platform/jobs/polling.ts'
import type { Log } from '../../platform/log.ts'
import { openClaim } from './claim/claim.ts'
import { openDueReceivers } from './claim/due-receivers.ts'
import { endLeases } from './claim/store.ts'
import { type DeliverCtx, openDeliver } from './deliver.ts'
import type { LeaseBudget } from './slots/lease-budget.ts'
import type { SlotQueue } from './slots/slot-queue.ts'
import { openSlots } from './slots/slots.ts'

export type DeliveryCtx = Omit<DeliverCtx, 'openSince' | 'onMoreDue' | 'onAnswered' | 'onSettled'> &
  Readonly<{
    db: Db
    pool: Pool
    /** Whether there may be an event to deliver. */
    isDue?: IsDue
    /** The outcome of an event is stored. */
    onSettled?: (event: LeasedEvent) => void
  }>

export type Delivery = { dispatcher: Dispatcher; wake: () => void; stop: () => Promise<void> }

/** Events in the stage for each that may be in flight: most only wait for a slot, or for their outcome to be stored. */
const stagedFor = 2

/** How often attempts in flight are checked for taking long. */
const slowCheckMs = 250

/** How often the table is scanned for receivers with due events, whichever process wrote them. */
const scanMs = 1_000

/** A leased event that was queued for this long goes back to the table: another process may have a free slot. */
const longestQueuedMs = 2_000

/** Delivers events to receivers: those this process writes, at once; those of other processes, when they are due. */
export function startDelivery(ctx: DeliveryCtx): Delivery {
  const { limits, unhealthy, leaseBudget, inUse, queue } = openSlots(ctx.transportOf)
  const dueReceivers = openDueReceivers(leaseBudget)
  const { claim, requestScan, openSince } = openClaim({ ...ctx, dueReceivers, leaseBudget, unhealthy })
  const onSettled = (event: LeasedEvent) => {
    if (dueReceivers.addIfUnderfilled(event)) stage.wake()
    ctx.onSettled?.(event)
  }
  const deliver = openDeliver({ ...ctx, openSince, onMoreDue, onAnswered, onSettled })
  const concurrency = stagedFor * limits.total
  const stage = startStage<LeasedEvent>({ name: 'delivery', concurrency, claim, run }, ctx.log)
  const releaseQueued = openReleaseQueued({ ...ctx, leaseBudget, queue, wake })
  const timers = [startPolling(scanMs, wake, ctx.isDue), startPolling(slowCheckMs, checkSlow)]

  /** Releases what is queued for slow receivers, which frees their lease budget for others. */
  function checkSlow(): void {
    const slow = [...inUse.markSlow(), ...queue.waitingReceivers(longestQueuedMs)]
    for (const receiver of slow) void releaseQueued(receiver)
    if (slow.length === 0) return
    queue.fillSlots()
    stage.wake()
  }

  async function run(event: LeasedEvent): Promise<void> {
    if (await queue.waitForSlot(event)) await deliver(event).finally(() => freeSlot(event))
    else leaseBudget.release(event)
  }

  function onAnswered(event: LeasedEvent, hasArrived: boolean): void {
    unhealthy[hasArrived ? 'remove' : 'add'](event)
    if (!hasArrived) void releaseQueued(event)
    freeSlot(event)
  }

  /** Called as soon as the receiver has answered: storing the outcome takes longer than most receivers take. */
  function freeSlot(event: LeasedEvent): void {
    if (!queue.freeSlot(event)) return
    const wasSlow = leaseBudget.release(event)
    if (wasSlow || dueReceivers.has(event)) stage.wake() // a slot of unhealthy receivers goes to the longest waiting
  }

  function onMoreDue(receiver: Receiver, inSeconds: number): void {
    if (inSeconds >= scanMs / 1_000) return // a scan finds it
    setTimeout(() => wake(receiver), inSeconds * 1_000).unref()
  }

  function wake(receiver?: Receiver): void {
    if (receiver) dueReceivers.add(receiver)
    else requestScan()
    stage.wake()
  }

  return {
    dispatcher: { reserve: leaseBudget.reserve, giveBack: leaseBudget.giveBack, take: stage.take, wake },
    wake: () => wake(),
    stop: async () => {
      for (const timer of timers) timer.stop()
      await Promise.all([...queue.waitingReceivers().map(releaseQueued), stage.stop()])
    },
  }
}

type ReleaseCtx = Readonly<{ db: Db; log: Log; leaseBudget: LeaseBudget; queue: SlotQueue; wake: Dispatcher['wake'] }>

/**
 * Returns a function that ends the leases of the events queued for a receiver. An unhealthy receiver gets nothing from
 * this process's memory: its next events are claimed from the table, where all processes see its state.
 */
function openReleaseQueued({ db, log, leaseBudget, queue, wake }: ReleaseCtx): (receiver: Receiver) => Promise<void> {
  return async (receiver) => {
    leaseBudget.throttle(receiver)
    const events = queue.remove(receiver)
    if (events.length === 0) return
    await endLeases(db, events).catch((err) => log.warn({ err }, 'leases could not be ended; they will run out'))
    wake(receiver)
  }
}
