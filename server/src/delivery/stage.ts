import type { Pool } from 'pg'
import type { Courier } from '../outbox/courier.ts'
import type { LeasedEvent } from '../outbox/owe-events.ts'
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { startStage } from '../work/loop.ts'
import { type DeliverCtx, openDeliver } from './deliver.ts'
import { openSearch } from './find-work.ts'
import { openHunger } from './hunger.ts'
import { openPlaces, type Places } from './places.ts'
import type { Receiver } from './store.ts'

export type DeliveryCtx = Omit<DeliverCtx, 'hasMore' | 'answered' | 'settled'> &
  Readonly<{ db: Db; pool: Pool; log: Log; inFlightPerReceiver: number }>

export type Delivery = { courier: Courier; wake: () => void; stop: () => Promise<void> }

/** At once in this process. One receiver that hangs holds a few of these, never all. */
const inAll = 64

/** How often it looks for receivers that something is due for, whoever wrote it. */
const lookMs = 1_000

/** Delivers what is owed to the outside: what this process writes, at once; what others left, when it is due. */
export function startDelivery(ctx: DeliveryCtx): Delivery {
  const { db, pool, log, inFlightPerReceiver: perReceiver } = ctx
  const places = openPlaces({ perReceiver, inAll })
  const hunger = openHunger(places, perReceiver)
  const search = openSearch({ db, pool, hunger })
  /** Those whose attempt takes a place: until the answer, since writing it down takes us longer than most receivers. */
  const atReceiver = new Set<LeasedEvent>()
  const deliver = openDeliver({
    ...ctx,
    hasMore,
    answered,
    settled: (event) => hunger.lookAgain(event) && stage.wake(),
  })
  const stage = startStage<LeasedEvent>(
    {
      name: 'delivery',
      room: 4 * inAll, // most of them only wait for their outcome to be written down
      claim: search.claim,
      run: (event) => {
        atReceiver.add(event)
        return deliver(event).finally(() => answered(event))
      },
    },
    log,
  )
  const looking = setInterval(() => wake(), lookMs)

  function answered(event: LeasedEvent): void {
    if (!atReceiver.delete(event)) return
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
      await stage.stop()
    },
  }
}

function courierOf(places: Places, take: (event: LeasedEvent) => void, wake: Courier['wake']): Courier {
  return {
    reserve: (accountId, kind) => places.reserve({ accountId, kind }),
    giveBack: places.giveBack,
    take: (event) => {
      places.use(event.token)
      take(event)
    },
    wake,
  }
}
