import type { Pool } from 'pg'
import type { Dispatcher } from '../outbox/dispatcher.ts'
import type { LeasedEvent } from '../outbox/owe-events.ts'
import type { Receiver } from '../outbox/receiver.ts'
import type { Db } from '../platform/database/db.ts'
import type { Log } from '../platform/log.ts'
import { startStage } from '../work/loop.ts'
import { openDueReceivers } from './claim/due-receivers.ts'
import { openSearch } from './claim/find-due.ts'
import { endLeases } from './claim/store.ts'
import { type DeliverCtx, openDeliver } from './deliver.ts'
import { type LeaseBudget, openLeaseBudget } from './slots/lease-budget.ts'
import { slotLimits } from './slots/slot-limits.ts'
import { openSlotQueue, type SlotQueue } from './slots/slot-queue.ts'
import { openSlots } from './slots/slots.ts'
import { openUnhealthyReceivers } from './slots/unhealthy-receivers.ts'

export type DeliveryCtx = Omit<DeliverCtx, 'hasMore' | 'answered' | 'settled'> &
  Readonly<{ db: Db; pool: Pool; log: Log; inFlightPerReceiver: number }>

export type Delivery = { dispatcher: Dispatcher; wake: () => void; stop: () => Promise<void> }

/** An attempt that has no answer after so long puts its receiver in unhealthy. */
const slowAfterMs = 1_000

/** How often attempts are looked at for that. */
const watchMs = 250

/** How often it looks for receivers that something is due for, whoever wrote it. */
const lookMs = 1_000

/** What is leased to us and has stood in line for so long goes back to the table: another process may have room. */
const longestInLineMs = 2_000

/** Delivers what is owed to the outside: what this process writes, at once; what others left, when it is due. */
export function startDelivery(ctx: DeliveryCtx): Delivery {
  const { db, pool, log } = ctx
  const { limits, unhealthy, leaseBudget, slots, line, dueReceivers } = openBooks(ctx.inFlightPerReceiver)
  const search = openSearch({ db, pool, dueReceivers, leaseBudget, unhealthy })
  const settled = (event: LeasedEvent) => dueReceivers.lookAgain(event) && stage.wake()
  const deliver = openDeliver({ ...ctx, hasMore, answered, settled })
  const room = 2 * limits.most // most of them only wait to leave, or for their outcome to be written down
  const stage = startStage<LeasedEvent>({ name: 'delivery', room, claim: search.claim, run }, log)
  const sendBack = openSendBack({ db, log, leaseBudget, line, wake })
  const timers = [setInterval(() => wake(), lookMs), setInterval(watch, watchMs)]

  /** What waits for one that is slow is sent back: others may have its leaseBudget. */
  function watch(): void {
    const slow = [...slots.slowDown(slowAfterMs), ...line.waitedFor(longestInLineMs)]
    for (const receiver of slow) void sendBack(receiver)
    if (slow.length === 0) return
    line.callNext()
    stage.wake()
  }

  async function run(event: LeasedEvent): Promise<void> {
    if (await line.enter(event)) await deliver(event).finally(() => leave(event))
    else leaseBudget.leave(event)
  }

  function answered(event: LeasedEvent, hasArrived: boolean): void {
    unhealthy[hasArrived ? 'end' : 'begin'](event)
    if (!hasArrived) void sendBack(event)
    leave(event)
  }

  /** Once it is answered: writing that down takes us longer than most receivers take. */
  function leave(event: LeasedEvent): void {
    if (!line.leave(event)) return
    const wasSlow = leaseBudget.leave(event)
    if (wasSlow || dueReceivers.has(event)) stage.wake() // a slot of those in unhealthy is for whoever waited longest
  }

  function hasMore(receiver: Receiver, inSeconds: number): void {
    if (inSeconds >= lookMs / 1_000) return // found by looking
    setTimeout(() => wake(receiver), inSeconds * 1_000).unref()
  }

  function wake(receiver?: Receiver): void {
    if (receiver) dueReceivers.feed(receiver)
    else search.lookAround()
    stage.wake()
  }

  return {
    dispatcher: dispatcherOf(leaseBudget, stage.take, wake),
    wake: () => wake(),
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      await Promise.all([...line.waitedFor().map(sendBack), stage.stop()])
    },
  }
}

/** What this process knows about what it delivers, and to whom. */
function openBooks(perReceiver: number) {
  const limits = slotLimits(perReceiver)
  const unhealthy = openUnhealthyReceivers()
  const leaseBudget = openLeaseBudget(limits, unhealthy)
  const slots = openSlots(limits, unhealthy, leaseBudget.isSlow)
  return {
    limits,
    unhealthy,
    leaseBudget,
    slots,
    line: openSlotQueue(slots),
    dueReceivers: openDueReceivers(leaseBudget),
  }
}

type SendBackCtx = Readonly<{ db: Db; log: Log; leaseBudget: LeaseBudget; line: SlotQueue; wake: Dispatcher['wake'] }>

/** A receiver in trouble gets nothing more from memory: what it gets is decided where all processes see it. */
function openSendBack({ db, log, leaseBudget, line, wake }: SendBackCtx): (receiver: Receiver) => Promise<void> {
  return async (receiver) => {
    leaseBudget.distrust(receiver)
    const events = line.sendBack(receiver)
    if (events.length === 0) return
    await endLeases(db, events).catch((err) => log.warn({ err }, 'leases could not be ended; they will run out'))
    wake(receiver)
  }
}

function dispatcherOf(
  leaseBudget: LeaseBudget,
  take: (event: LeasedEvent) => void,
  wake: Dispatcher['wake'],
): Dispatcher {
  return {
    reserve: (accountId, kind) => leaseBudget.reserve({ accountId, kind }),
    giveBack: leaseBudget.giveBack,
    take,
    wake,
  }
}
