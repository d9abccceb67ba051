import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Courier } from '../outbox/courier.ts'
import type { LeasedEvent } from '../outbox/owe-events.ts'
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { startStage } from '../work/loop.ts'
import type { AttemptCtx } from './attempt.ts'
import { type DeliverCtx, openDeliver } from './deliver.ts'
import { claimDue, findDueReceivers, type Receiver } from './store.ts'

export type DeliveryCtx = AttemptCtx &
  Omit<DeliverCtx, 'hasMore'> &
  Readonly<{ db: Db; pool: Pool; log: Log; inFlightPerReceiver: number }>

export type Delivery = { courier: Courier; wake: () => void; stop: () => Promise<void> }

/** At once in this process. One receiver that hangs holds a few of these, never all. */
const room = 64

/** How often it looks for receivers that something is due for, whoever wrote it. */
const lookMs = 1_000

/** Delivers what is owed to the outside: what this process writes, at once; what others left, when it is due. */
export function startDelivery(ctx: DeliveryCtx): Delivery {
  const { db, pool, log, inFlightPerReceiver } = ctx
  /** How many attempts are on their way to each receiver, or reserved. */
  const inFlight = new Map<string, number>()
  const reserved = new Map<string, Receiver>()
  /** Receivers that more may be due for, those that have waited longest first. */
  const hungry = new Map<string, Receiver>()
  let lookFrom: Receiver | undefined
  let mustLook = true

  /** One at a time, looking would take longer than delivering. */
  const fewest = Math.ceil(inFlightPerReceiver / 2)

  const freeFor = (receiver: Receiver) => inFlightPerReceiver - (inFlight.get(keyOf(receiver)) ?? 0)
  const total = () => inFlight.values().reduce((sum, n) => sum + n, 0)
  function begin(receiver: Receiver): void {
    inFlight.set(keyOf(receiver), (inFlight.get(keyOf(receiver)) ?? 0) + 1)
  }
  function end(receiver: Receiver): void {
    const left = (inFlight.get(keyOf(receiver)) ?? 1) - 1
    if (left > 0) inFlight.set(keyOf(receiver), left)
    else inFlight.delete(keyOf(receiver))
  }
  function feed({ accountId, kind }: Receiver): void {
    hungry.set(keyOf({ accountId, kind }), { accountId, kind })
  }

  const deliver = openDeliver({
    ...ctx,
    hasMore: (event, inSeconds) => {
      if (inSeconds >= lookMs / 1_000) return // found by looking
      setTimeout(() => {
        feed(event)
        stage.wake()
      }, inSeconds * 1_000).unref()
    },
  })

  async function findHungry(): Promise<void> {
    mustLook = false
    const { due, next } = await findDueReceivers(db, lookFrom)
    for (const receiver of due) feed(receiver)
    lookFrom = next
  }

  async function claim(atMost: number): Promise<LeasedEvent[]> {
    if (mustLook) await findHungry()
    const asked: (Receiver & { room: number })[] = []
    let left = Math.min(atMost, room - total())
    for (const [key, receiver] of hungry) {
      const free = Math.min(freeFor(receiver), left)
      if (free < fewest && free < inFlightPerReceiver) continue // it stays hungry until more have come back
      asked.push({ ...receiver, room: free })
      hungry.delete(key)
      left -= free
    }
    if (asked.length === 0) return []
    const events = await claimDue(pool, asked)
    for (const event of events) begin(event)
    for (const { accountId, kind, room: free } of asked) {
      const got = events.filter((event) => event.accountId === accountId && event.kind === kind).length
      if (got === free) feed({ accountId, kind })
    }
    return events
  }

  const stage = startStage<LeasedEvent>(
    { name: 'delivery', room, claim, run: (event) => deliver(event).finally(() => end(event)) },
    log,
  )
  const looking = setInterval(look, lookMs)
  function look(): void {
    mustLook = true
    stage.wake()
  }

  const courier: Courier = {
    reserve: (accountId, kind) => {
      const receiver = { accountId, kind }
      if (freeFor(receiver) <= 0 || total() >= room) return undefined
      begin(receiver)
      const token = randomUUID()
      reserved.set(token, receiver)
      return token
    },
    giveBack: (token) => {
      const receiver = reserved.get(token)
      if (receiver && reserved.delete(token)) end(receiver)
    },
    take: (event) => {
      reserved.delete(event.token)
      stage.take(event)
    },
    wake: look,
  }
  return {
    courier,
    wake: look,
    stop: async () => {
      clearInterval(looking)
      await stage.stop()
    },
  }
}

function keyOf({ accountId, kind }: Receiver): string {
  return `${kind} ${accountId}`
}
