import type { LeasedEvent } from '../../outbox/enqueue-events.ts'
import { type Log, logAttempt } from '../../platform/log.ts'
import { observe } from '../../platform/metrics/counts.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { partsOf } from '../../platform/trace-context.ts'
import type { TransportOf } from './open-transports.ts'
import { retryDelaySeconds } from './outcome/retry-schedule.ts'
import { leaseSecondsLeft } from './outcome/settle.ts'
import type { Settlement } from './outcome/settle-store.ts'
import { type Attempt, notMade, type SettlementOf } from './transports/transport.ts'

export type DeliverCtx = Readonly<{
  transportOf: TransportOf
  log: Log
  hint: Hint
  instruments: Instruments
  /** The waits after failed attempts. */
  retrySeconds: readonly number[]
  /** Since when the receiver of this event may have open ones. */
  openSince: (event: LeasedEvent) => string
  /** More events are due for the receiver of this one, now or in a moment. */
  onMoreDue: (event: LeasedEvent, inSeconds: number) => void
  /** The receiver has answered, or failed to; the outcome is not stored yet. */
  onAnswered: (event: LeasedEvent, hasArrived: boolean) => void
  /** The outcome is stored: the next event of its conversation may be sent. */
  onSettled: (event: LeasedEvent) => unknown
}>

/** An attempt may take this long. With less of the lease left, another process could begin a second one meanwhile. */
const attemptSeconds = 15

/** Returns a function that delivers one event that is leased to us: makes one attempt and stores its outcome. */
export function openDeliver(ctx: DeliverCtx): (event: LeasedEvent) => Promise<void> {
  const settlementOf = openSettlementOf(ctx)
  return async (event) => {
    if (leaseSecondsLeft(event) < attemptSeconds) return // it is due again when its lease has run out
    const transport = ctx.transportOf(event)
    const attempt = event.isPaused
      ? notMade('endpoint_paused', 'Sending to this address is paused.')
      : await transport.attempt(event)
    ctx.onAnswered(event, attempt.status !== 'Failed')
    if (attempt.status !== 'Waits' || attempt.made) note(ctx, event, attempt)
    const { isOurs, hasMore, dueInSeconds } = await transport.settle(event, attempt, settlementOf)
    if (!isOurs) ctx.log.warn({ id: event.id }, 'an attempt outlasted its lease; another one counts')
    ctx.onSettled(event)
    hintAt(ctx.hint, event)
    if (hasMore) ctx.onMoreDue(event, 0)
    if (dueInSeconds !== undefined) ctx.onMoreDue(event, dueInSeconds)
  }
}

/** Counts an attempt and logs it: by category, and where the receiver answered, by its status. */
function note({ instruments, log }: DeliverCtx, event: LeasedEvent, attempt: Attempt): void {
  const { made, traceparent } = attempt
  const { category, httpStatus } = categoryOf(attempt)
  const isAnswered = category === 'http_error'
  instruments.attempts.add(isAnswered ? `http_${String(httpStatus)[0]}xx` : category)
  if (made) observe(instruments.attemptSeconds, made.durationMs / 1_000)
  const { accountId, id, receiverId, attempts } = event
  const outcome = isAnswered ? `http_${httpStatus}` : category
  const line = { accountId, id, receiver: receiverId, attempt: attempts + 1, outcome }
  logAttempt(log, { ...line, ms: made?.durationMs ?? 0, ...(traceparent && partsOf(traceparent)) })
}

function categoryOf(attempt: Attempt): { category: string; httpStatus: number | null } {
  if (attempt.status === 'Failed') return attempt.error
  return { category: attempt.status === 'Sent' ? 'sent' : 'waits', httpStatus: null }
}

/** The message shows its new status, and the receiver its health. */
function hintAt(hint: Hint, { accountId, contactId }: LeasedEvent): void {
  hint(accountId, 'webhook')
  if (contactId !== null) hint(accountId, contactId)
}

/**
 * What a person asked for changes nothing of what comes by itself: the store puts back when the next attempt is due, and one
 * that a person waited for is no failure of the receiver, which would hold back everything else after ten of them.
 */
function openSettlementOf({ retrySeconds, openSince }: DeliverCtx): SettlementOf {
  return (event, attempt) => settlementOf(event, attempt, { retrySeconds, since: openSince(event) })
}

type Known = { retrySeconds: readonly number[]; since: string }

function settlementOf(
  event: LeasedEvent,
  attempt: Parameters<SettlementOf>[1],
  { retrySeconds, since }: Known,
): Settlement {
  const { accountId, receiverId, id, token, isProbe, attempts, askedAttempts, asked } = event
  const { made } = attempt
  const lease = { accountId, receiverId, id, token, isProbe, since, made }
  if (attempt.status === 'Sent') {
    return { ...lease, status: 'Sent', error: undefined, dueInSeconds: undefined, isFailure: false, isGone: false }
  }
  const { error, failure, isGone = false } = attempt
  const isOwn = asked === null
  const dueInSeconds =
    isOwn && failure ? retryDelaySeconds(attempts - askedAttempts + 1, retrySeconds, failure) : undefined
  const isFailure = made !== undefined && error.category !== 'blocked_address' && asked !== 'now'
  return { ...lease, status: 'Failed', error, dueInSeconds, isGone, isFailure }
}
