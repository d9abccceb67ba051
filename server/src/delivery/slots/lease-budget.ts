import { randomUUID } from 'node:crypto'
import type { LeasedEvent } from '../../outbox/owe-events.ts'
import { keyOf, type Receiver } from '../../outbox/receiver.ts'
import { limitWhenHealthy, limitWhenUnhealthy, type SlotLimits } from './slot-limits.ts'
import type { UnhealthyReceivers } from './unhealthy-receivers.ts'

/** A receiver that something is looked for in the table, and how much of it there are leaseBudget for. */
export type Asked = Receiver & { room: number; isUnhealthy: boolean }

/**
 * How many events this process may have leased that have no answer yet, for one receiver and for all, and how many it
 * has. What it looked for in the table and what it has written itself are counted apart: neither keeps the other out.
 * So is what goes to receivers in unhealthy, and what turned out to be slow: it keeps out none of the others.
 */
export type LeaseBudget = {
  /** Takes leaseBudget for what is looked for, at most so many; undefined when there are too few to be worth it. */
  ask: (receiver: Receiver, atMost: number) => Asked | undefined
  /** These were found for it: the rest of its leaseBudget is free again. */
  found: (asked: Asked, events: LeasedEvent[]) => void
  /** Takes a place for an event that is yet to be written; undefined when none is free. */
  reserve: (receiver: Receiver) => string | undefined
  /** The event was not written with this token. */
  giveBack: (token: string) => boolean
  /** The event has its answer, or is no longer ours. True: it was slow, or its receiver in unhealthy. */
  leave: (event: LeasedEvent) => boolean
  /** The event with this token has no answer yet, and takes long. */
  isSlow: (receiver: Receiver, token: string) => void
  /** Whether something is on its way to it that takes long, or went to it in unhealthy. */
  hasSlow: (receiver: Receiver) => boolean
  /** More has come than the receiver takes: for a while no more is leased for it than may be on its way. */
  distrust: (receiver: Receiver) => void
}

/**
 * What is just being written may wait here, this many times as much as may be on its way, to a receiver that is well:
 * leasing it from the start costs nothing, and finding it in the table later half as much as keeping it did.
 */
const ahead = 4
const distrustedMs = 10_000

export function openLeaseBudget(limits: SlotLimits, unhealthy: UnhealthyReceivers): LeaseBudget {
  const { perReceiver } = limits
  const found = openTally()
  const inDoubt = openTally()
  /** The tokens of those that are counted there. */
  const slow = new Set<string>()
  const { reserve, giveBack, distrust } = openReserved(limits, unhealthy)
  /** Looking for one at a time would take longer than delivering it; but a few may be all that others have left. */
  const fewest = Math.min(4, Math.ceil(perReceiver / 2))

  /** The first of a receiver has a wider limit than the next ones. */
  function roomFor(key: string, tally: Tally, limitOf: typeof limitWhenUnhealthy): number {
    const underWay = found.of(key) + inDoubt.of(key)
    const first = underWay === 0 && tally.inAll() < limitOf(limits, true) ? 1 : 0
    return Math.max(first, Math.min(perReceiver - underWay, limitOf(limits, false) - tally.inAll()))
  }

  function ask({ accountId, kind }: Receiver, atMost: number): Asked | undefined {
    const receiver = { accountId, kind }
    const key = keyOf(receiver)
    const isUnhealthy = unhealthy.has(receiver)
    const tally = isUnhealthy ? inDoubt : found
    const room = Math.min(atMost, roomFor(key, tally, isUnhealthy ? limitWhenUnhealthy : limitWhenHealthy))
    const isWorthIt = room >= (isUnhealthy || found.of(key) === 0 ? 1 : fewest)
    if (!isWorthIt) return undefined
    tally.add(key, room)
    return { ...receiver, room, isUnhealthy }
  }

  return {
    ask,
    found: (asked, events) => {
      const tally = asked.isUnhealthy ? inDoubt : found
      tally.add(keyOf(asked), events.length - asked.room)
      if (asked.isUnhealthy) for (const { token } of events) slow.add(token)
    },
    reserve,
    giveBack,
    leave: (event) => {
      const wasSlow = slow.delete(event.token)
      if (wasSlow) inDoubt.add(keyOf(event), -1)
      else if (!giveBack(event.token)) found.add(keyOf(event), -1)
      return wasSlow
    },
    isSlow: (receiver, token) => {
      if (slow.has(token)) return
      if (!giveBack(token)) found.add(keyOf(receiver), -1)
      inDoubt.add(keyOf(receiver), 1)
      slow.add(token)
    },
    hasSlow: (receiver) => inDoubt.of(keyOf(receiver)) > 0,
    distrust,
  }
}

/** The leaseBudget of what is yet to be written, or has been and has no answer yet. */
function openReserved(
  { perReceiver, inAll }: SlotLimits,
  unhealthy: UnhealthyReceivers,
): Pick<LeaseBudget, 'reserve' | 'giveBack' | 'distrust'> {
  const written = openTally()
  const reserved = new Map<string, string>()
  const distrusted = openDistrust()
  return {
    reserve: (receiver) => {
      const key = keyOf(receiver)
      if (unhealthy.has(receiver)) return undefined
      const most = distrusted.has(key) ? perReceiver : ahead * perReceiver
      if (written.of(key) >= most || written.inAll() >= ahead * inAll) return undefined
      const token = randomUUID()
      written.add(key, 1)
      reserved.set(token, key)
      return token
    },
    giveBack: (token) => {
      const key = reserved.get(token)
      if (key === undefined) return false
      written.add(key, -1)
      return reserved.delete(token)
    },
    distrust: (receiver) => distrusted.begin(keyOf(receiver)),
  }
}

function openDistrust() {
  const until = new Map<string, number>()
  return {
    has: (key: string) => {
      const end = until.get(key)
      if (end !== undefined && performance.now() > end) until.delete(key)
      return until.has(key)
    },
    begin: (key: string) => void until.set(key, performance.now() + distrustedMs),
  }
}

type Tally = ReturnType<typeof openTally>

function openTally() {
  const counts = new Map<string, number>()
  let all = 0
  return {
    of: (key: string) => counts.get(key) ?? 0,
    inAll: () => all,
    add: (key: string, count: number) => {
      all += count
      const now = (counts.get(key) ?? 0) + count
      if (now > 0) counts.set(key, now)
      else counts.delete(key)
    },
  }
}
