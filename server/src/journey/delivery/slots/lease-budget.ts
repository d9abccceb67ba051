import { randomUUID } from 'node:crypto'
import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { keyOf, type Receiver } from '../../../outbox/receivers.ts'
import { openTally, type Tally } from '../../../platform/collections.ts'
import { limitWhenHealthy, limitWhenUnhealthy, type SlotLimits } from './slot-limits.ts'
import type { UnhealthyReceivers } from './unhealthy-receivers.ts'

/** A receiver to claim due events for, and how many at most; that many are reserved in the budget. */
export type ClaimRequest = Receiver & { budget: number; isUnhealthy: boolean }

/**
 * How many unanswered events this process may have leased, for one receiver and for all. Claimed events and events that
 * this process wrote itself are counted separately, so that neither crowds out the other. So are slow events and events
 * for unhealthy receivers, which take nothing from the budget of the others.
 */
export type LeaseBudget = {
  /** Reserves budget for a claim, at most so many; undefined when too few are free to be worth a claim. */
  reserveClaim: (receiver: Receiver, atMost: number) => ClaimRequest | undefined
  /** The claim returned these events: the rest of what it reserved is free again. */
  endClaim: (request: ClaimRequest, events: LeasedEvent[]) => void
  /** Reserves a lease for an event that is about to be written, and returns its token; undefined when none is free. */
  reserve: (receiver: Receiver) => string | undefined
  /** The event was not written with this token. */
  giveBack: (token: string) => boolean
  /** The event has its answer, or is no longer leased to us. True: it was slow, or its receiver unhealthy. */
  release: (event: LeasedEvent) => boolean
  /** Counts the event with this token as slow: it has no answer yet. */
  markSlow: (receiver: Receiver, token: string) => void
  /** Whether an event for this receiver is slow, or was leased while the receiver was unhealthy. */
  hasSlow: (receiver: Receiver) => boolean
  /** More has come than the receiver takes: for a while, lease no more for it than may be in flight. */
  throttle: (receiver: Receiver) => void
}

/**
 * For a healthy receiver, this many times as many events as may be in flight are leased when they are written: that
 * costs nothing, while claiming them from the table later costs half as much as writing them did.
 */
const leaseAhead = 4
const throttledMs = 10_000

/** `inFlightOf`: how many attempts may be in flight to a receiver. */
export function openLeaseBudget(
  limits: SlotLimits,
  unhealthy: UnhealthyReceivers,
  inFlightOf: (receiver: Receiver) => number,
): LeaseBudget {
  const claimed = openTally()
  const slow = openTally()
  /** The tokens of the events that are counted in `slow`. */
  const slowTokens = new Set<string>()
  const { reserve, giveBack, throttle } = openReserved(limits, unhealthy, inFlightOf)
  /** Claiming one at a time would take longer than delivering it; but a few may be all that others have left. */
  const smallestClaim = (perReceiver: number) => Math.min(4, Math.ceil(perReceiver / 2))

  /** The first event of a receiver has a wider limit than the next ones. */
  function budgetFor(receiver: Receiver, tally: Tally, limitOf: typeof limitWhenUnhealthy): number {
    const key = keyOf(receiver)
    const leased = claimed.of(key) + slow.of(key)
    const first = leased === 0 && tally.total() < limitOf(limits, true) ? 1 : 0
    return Math.max(first, Math.min(inFlightOf(receiver) - leased, limitOf(limits, false) - tally.total()))
  }

  function reserveClaim({ accountId, receiverId }: Receiver, atMost: number): ClaimRequest | undefined {
    const receiver = { accountId, receiverId }
    const key = keyOf(receiver)
    const isUnhealthy = unhealthy.has(receiver)
    const tally = isUnhealthy ? slow : claimed
    const budget = Math.min(atMost, budgetFor(receiver, tally, isUnhealthy ? limitWhenUnhealthy : limitWhenHealthy))
    const isWorthIt = budget >= (isUnhealthy || claimed.of(key) === 0 ? 1 : smallestClaim(inFlightOf(receiver)))
    if (!isWorthIt) return undefined
    tally.add(key, budget)
    return { ...receiver, budget, isUnhealthy }
  }

  return {
    reserveClaim,
    endClaim: (request, events) => {
      const tally = request.isUnhealthy ? slow : claimed
      tally.add(keyOf(request), events.length - request.budget)
      if (request.isUnhealthy) for (const { token } of events) slowTokens.add(token)
    },
    reserve,
    giveBack,
    release: (event) => {
      const wasSlow = slowTokens.delete(event.token)
      if (wasSlow) slow.add(keyOf(event), -1)
      else if (!giveBack(event.token)) claimed.add(keyOf(event), -1)
      return wasSlow
    },
    markSlow: (receiver, token) => {
      if (slowTokens.has(token)) return
      if (!giveBack(token)) claimed.add(keyOf(receiver), -1)
      slow.add(keyOf(receiver), 1)
      slowTokens.add(token)
    },
    hasSlow: (receiver) => slow.of(keyOf(receiver)) > 0,
    throttle,
  }
}

/** The budget for events that this process writes: those about to be written, and those written and not answered. */
function openReserved(
  { healthy }: SlotLimits,
  unhealthy: UnhealthyReceivers,
  inFlightOf: (receiver: Receiver) => number,
): Pick<LeaseBudget, 'reserve' | 'giveBack' | 'throttle'> {
  const written = openTally()
  const reserved = new Map<string, string>()
  const throttled = openThrottled()
  return {
    reserve: (receiver) => {
      const key = keyOf(receiver)
      if (unhealthy.has(receiver)) return undefined
      const most = (throttled.has(key) ? 1 : leaseAhead) * inFlightOf(receiver)
      if (written.of(key) >= most || written.total() >= leaseAhead * healthy) return undefined
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
    throttle: (receiver) => throttled.add(keyOf(receiver)),
  }
}

function openThrottled() {
  const until = new Map<string, number>()
  return {
    has: (key: string) => {
      const end = until.get(key)
      if (end !== undefined && performance.now() > end) until.delete(key)
      return until.has(key)
    },
    add: (key: string) => void until.set(key, performance.now() + throttledMs),
  }
}
