import type { Pool } from 'pg'
import type { LeasedEvent } from '../../outbox/enqueue-events.ts'
import { simulator } from '../../outbox/receivers.ts'
import { type Log, logAttempt } from '../../platform/log.ts'
import { observe } from '../../platform/metrics/distribution.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { childOf, partsOf } from '../../platform/trace-context.ts'
import { type AttemptCtx, type Attempted, attempt } from './attempt/attempt.ts'
import { openSigningKeys, type ReadSigningKeys } from './attempt/signing-keys.ts'
import { attemptSimulated } from './attempt/simulate.ts'
import { retryDelaySeconds } from './outcome/retry.ts'
import { leaseSecondsLeft, openSettle } from './outcome/settle.ts'
import type { Settlement } from './outcome/settle-store.ts'

export type DeliverCtx = AttemptCtx &
  Readonly<{
    pool: Pool
    log: Log
    secretKey: Buffer
    hint: Hint
    instruments: Instruments
    /** The waits after failed attempts. */
    retrySeconds: readonly number[]
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
  const tryCtx = { ...ctx, readKeys: openSigningKeys(ctx) }
  const settle = openSettle(ctx.pool, ctx.instruments.commits.outcomes)

  return async (event) => {
    if (leaseSecondsLeft(event) < attemptSeconds) return // it is due again when its lease has run out
    const { traceparent, ...settlement } = await tryOnce(tryCtx, event)
    ctx.onAnswered(event, settlement.status === 'Sent')
    note(ctx, event, { ...settlement, traceparent })
    const { isOurs, hasMore } = await settle(event, settlement)
    if (!isOurs) ctx.log.warn({ id: event.id }, 'an attempt outlasted its lease; another one counts')
    ctx.onSettled(event)
    hintAt(ctx.hint, event)
    if (hasMore) ctx.onMoreDue(event, 0)
    if (settlement.dueInSeconds !== undefined) ctx.onMoreDue(event, settlement.dueInSeconds)
  }
}

/** Counts an attempt and logs it: by category, and where the receiver answered, by its status. */
function note({ instruments, log }: DeliverCtx, event: LeasedEvent, { error, made, traceparent }: Tried): void {
  const { category = 'sent', httpStatus = null } = error ?? {}
  const isAnswered = category === 'http_error'
  instruments.attempts.add(isAnswered ? `http_${String(httpStatus)[0]}xx` : category)
  if (made) observe(instruments.attemptSeconds, made.durationMs / 1_000)
  const { accountId, id, receiverId, attempts } = event
  const line = {
    accountId,
    id,
    receiver: receiverId,
    attempt: attempts + 1,
    outcome: isAnswered ? `http_${httpStatus}` : category,
  }
  logAttempt(log, { ...line, ms: made?.durationMs ?? 0, ...(traceparent && partsOf(traceparent)) })
}

/** The message shows its new status, and the receiver its health. */
function hintAt(hint: Hint, { accountId, contactId }: LeasedEvent): void {
  hint(accountId, 'webhook')
  if (contactId !== null) hint(accountId, contactId)
}

type TryCtx = DeliverCtx & { readKeys: ReadSigningKeys }

/** With the `traceparent` that was sent. */
type Tried = Settlement & { traceparent?: string | undefined }

async function tryOnce(ctx: TryCtx, event: LeasedEvent): Promise<Tried> {
  const { accountId, receiverId, id, token, isProbe, url, secret } = event
  const lease = { accountId, receiverId, id, token, isProbe }
  if (url === null || secret === null) {
    return { ...lease, ...notTried('no_endpoint', 'No address was saved to send it to.') }
  }
  if (event.isPaused) return { ...lease, ...notTried('endpoint_paused', 'Sending to this address is paused.') }
  const keys = ctx.readKeys(event, secret)
  if (!keys) {
    return { ...lease, ...notTried('secret_unreadable', 'The signing secret cannot be read; make a new one.') }
  }
  const startedAt = performance.now()
  const { payload, author, outgoingSeq, attempts, trace } = event
  const traceparent = trace === null ? undefined : childOf(trace)
  const posted = { id, payload, author, outgoingSeq, url, keys, attempt: attempts + 1, traceparent }
  const attempted = receiverId === simulator ? await attemptSimulated(ctx, event, posted) : await attempt(ctx, posted)
  const made = { url, durationMs: Math.round(performance.now() - startedAt) }
  return { ...lease, ...outcomeOf(attempted, event, ctx.retrySeconds), made, traceparent }
}

type Outcome = Omit<Settlement, 'accountId' | 'receiverId' | 'id' | 'token' | 'isProbe'>

/** Does not count as an attempt: no request was made. */
function notTried(category: string, detail: string): Outcome {
  const error = { category, httpStatus: null, detail }
  const unchanged = { dueInSeconds: undefined, made: undefined, isFailure: false, isGone: false }
  return { status: 'Failed', error, ...unchanged }
}

/**
 * What a person asked for changes nothing of what comes by itself: the store puts back when the next attempt is due, and one
 * that a person waited for is no failure of the receiver, which would hold back everything else after ten of them.
 */
function outcomeOf(
  attempted: Attempted,
  { attempts, askedAttempts, asked }: LeasedEvent,
  retrySeconds: readonly number[],
): Omit<Outcome, 'made'> {
  if (attempted.status === 'Sent') {
    return { status: 'Sent', error: undefined, dueInSeconds: undefined, isFailure: false, isGone: false }
  }
  const { error, failure, isGone = false } = attempted
  const isOwn = asked === null
  const dueInSeconds =
    isOwn && failure ? retryDelaySeconds(attempts - askedAttempts + 1, retrySeconds, failure) : undefined
  const isFailure = error.category !== 'blocked_address' && asked !== 'now'
  return { status: 'Failed', error, dueInSeconds, isGone, isFailure }
}
