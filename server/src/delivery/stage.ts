import type { Pool } from 'pg'
import type { Courier } from '../outbox/courier.ts'
import type { LeasedEvent } from '../outbox/owe-events.ts'
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { startStage } from '../work/loop.ts'
import { type DeliverCtx, openDeliver } from './deliver.ts'
import { openSearch } from './find-work.ts'
import { openHunger } from './hunger.ts'
import { type Line, openLine } from './line.ts'
import { openPlaces, type Places } from './places.ts'
import { endLeases, type Receiver } from './store.ts'

export type DeliveryCtx = Omit<DeliverCtx, 'hasMore' | 'answered' | 'settled'> &
  Readonly<{ db: Db; pool: Pool; log: Log; inFlightPerReceiver: number }>

export type Delivery = { courier: Courier; wake: () => void; stop: () => Promise<void> }

/** At once in this process. One receiver that hangs holds a few of these, never all. */
const inAll = 64

/** How often it looks for receivers that something is due for, whoever wrote it. */
const lookMs = 1_000

/** What is leased to us and has stood in line for so long goes back to the table: another process may have room. */
const longestInLineMs = 2_000

/** Delivers what is owed to the outside: what this process writes, at once; what others left, when it is due. */
export function startDelivery(ctx: DeliveryCtx): Delivery {
  const { db, pool, log, inFlightPerReceiver: perReceiver } = ctx
  const places = openPlaces({ perReceiver, inAll })
  const line = openLine({ perReceiver, inAll })
  const hunger = openHunger(places, perReceiver)
  const search = openSearch({ db, pool, hunger })
  const deliver = openDeliver({
    ...ctx,
    hasMore,
    answered,
    settled: (event) => hunger.lookAgain(event) && stage.wake(),
  })
  const stage = startStage<LeasedEvent>(
    {
      name: 'delivery',
      room: 16 * inAll, // most of them only wait to leave, or for their outcome to be written down
      claim: search.claim,
      run: async (event) => {
        if (await line.enter(event)) await deliver(event).finally(() => leave(event))
        else places.leave(event)
      },
    },
    log,
  )
  const sendBack = openSendBack({ db, log, places, line, wake })
  const looking = setInterval(() => {
    for (const receiver of line.waitedFor(longestInLineMs)) void sendBack(receiver)
    wake()
  }, lookMs)

  function answered(event: LeasedEvent, hasArrived: boolean): void {
    if (!hasArrived) void sendBack(event)
    leave(event)
  }

  /** Once it is answered: writing that down takes us longer than most receivers take. */
  function leave(event: LeasedEvent): void {
    if (!line.leave(event)) return
    places.leave(event)
    if (hunger.has(event)) stage.wake()
  }

  function hasMore(receiver: Receiver, inSeconds: number): void {
    if (inSeconds >= lookMs / 1_000) return // found by looking
    setTimeout(() => wake(receiver), inSeconds * 1_000).unref()
  }

  function wake(receiver?: Receiver): void {
    if (receiver) hunger.feed(receiver)
    else search.lookAround()
    stage.wake()
  }

  return {
    courier: courierOf(places, stage.take, wake),
    wake: () => wake(),
    stop: async () => {
      clearInterval(looking)
      await Promise.all([...line.waitedFor().map(sendBack), stage.stop()])
    },
  }
}

type SendBackCtx = Readonly<{ db: Db; log: Log; places: Places; line: Line; wake: Courier['wake'] }>

/** A receiver in trouble gets nothing more from memory: what it gets is decided where all processes see it. */
function openSendBack({ db, log, places, line, wake }: SendBackCtx): (receiver: Receiver) => Promise<void> {
  return async (receiver) => {
    places.distrust(receiver)
    const events = line.sendBack(receiver)
    if (events.length === 0) return
    await endLeases(db, events).catch((err) => log.warn({ err }, 'leases could not be ended; they will run out'))
    wake(receiver)
  }
}

function courierOf(places: Places, take: (event: LeasedEvent) => void, wake: Courier['wake']): Courier {
  return {
    reserve: (accountId, kind) => places.reserve({ accountId, kind }),
    giveBack: places.giveBack,
    take,
    wake,
  }
}
