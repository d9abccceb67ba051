import type { KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { type LeasedEvent, leaseSeconds } from '../outbox/owe-events.ts'
import { openGroupCommit } from '../platform/group-commit/group-commit.ts'
import type { Log } from '../platform/log.ts'
import { type AttemptCtx, type Attempted, attempt, secretsOf } from './attempt/attempt.ts'
import { signingKey } from './attempt/signature.ts'
import { waitAfter } from './outcome/retry.ts'
import { type Settled, type Settlement, settle, settleArrived } from './outcome/settle-store.ts'

export type DeliverCtx = AttemptCtx &
  Readonly<{
    pool: Pool
    log: Log
    /** The waits after failed attempts. */
    retrySeconds: readonly number[]
    /** More is due for the receiver of this event, now or in a moment. */
    hasMore: (event: LeasedEvent, inSeconds: number) => void
    /** The receiver has answered, or failed to; what is left is ours to write down. */
    answered: (event: LeasedEvent, hasArrived: boolean) => void
    /** Its outcome is written down: what stood in line behind it may leave. */
    settled: (event: LeasedEvent) => unknown
  }>

/** An attempt may take this long. With less left of the lease, somebody else might begin one beside it. */
const attemptSeconds = 15

/** Nobody waits for an outcome but the next message of its conversation; three together cost little more than one. */
const gatherMs = 10

/** Returns a function that delivers one event that is leased to us: one attempt, and its outcome written down. */
export function openDeliver(ctx: DeliverCtx): (event: LeasedEvent) => Promise<void> {
  const tryCtx = { ...ctx, readKeys: openSecrets(ctx) }
  const settleOne = openSettling(ctx.pool)

  return async (event) => {
    if (secondsLeft(event) < attemptSeconds) return // it is due again when its lease has run out
    const settlement = await tryOnce(tryCtx, event)
    ctx.answered(event, settlement.status === 'Sent')
    const { isOurs, hasMore } = await insistOnSettling(event, () => settleOne(event, settlement))
    if (!isOurs) ctx.log.warn({ id: event.id }, 'an attempt outlasted its lease; another one counts')
    ctx.settled(event)
    if (hasMore) ctx.hasMore(event, 0)
    if (settlement.dueInSeconds !== undefined) ctx.hasMore(event, settlement.dueInSeconds)
  }
}

/** Each of the two ways to settle shares its statements by itself, so that a row that fails fails no other way. */
function openSettling(pool: Pool): (event: LeasedEvent, settlement: Settlement) => Promise<Settled> {
  const shared = { gatherMs, ownerOf: ({ accountId }: Settlement) => accountId }
  const briefly = openGroupCommit((settlements: Settlement[]) => settleArrived(pool, settlements), shared)
  const fully = openGroupCommit((settlements: Settlement[]) => settle(pool, settlements), shared)
  return async ({ attempts, isProbe }, settlement) => {
    const hasJustArrived = settlement.status === 'Sent' && attempts === 0 && !isProbe
    const settled = hasJustArrived ? await briefly(settlement) : undefined
    return settled?.isOurs ? settled : fully(settlement)
  }
}

/** So many receivers' secrets are kept open: opening one takes longer than signing with it. */
const mostOpened = 10_000

type ReadKeys = (event: LeasedEvent, secret: string) => KeyObject[] | undefined

/** Undefined: it cannot be read, because SECRET_KEY is not the one that sealed it, which is the operator's to mend. */
function openSecrets({ secretKey, log }: DeliverCtx): ReadKeys {
  const opened = new Map<string, KeyObject[]>()
  return ({ accountId, kind, oldSecret }, secret) => {
    const open = () => secretsOf(secretKey, { accountId, kind, secret, oldSecret }).map(signingKey)
    try {
      if (opened.size >= mostOpened) opened.clear()
      return opened.getOrInsertComputed(`${kind} ${accountId} ${secret} ${oldSecret}`, open)
    } catch (err) {
      log.error({ err, accountId }, 'a signing secret cannot be read')
      return undefined
    }
  }
}

function secondsLeft({ leasedAt }: LeasedEvent): number {
  return leaseSeconds - (performance.now() - leasedAt) / 1_000
}

type TryCtx = DeliverCtx & { readKeys: ReadKeys }

async function tryOnce(ctx: TryCtx, event: LeasedEvent): Promise<Settlement> {
  const { accountId, kind, id, token, isProbe, url, secret } = event
  const place = { accountId, kind, id, token, isProbe }
  if (url === null || secret === null) {
    return { ...place, ...notTried('no_endpoint', 'No address was saved to send it to.') }
  }
  if (event.isPaused) return { ...place, ...notTried('endpoint_paused', 'Sending to this address is paused.') }
  const keys = ctx.readKeys(event, secret)
  if (!keys) {
    return { ...place, ...notTried('secret_unreadable', 'The signing secret cannot be read; make a new one.') }
  }
  const startedAt = performance.now()
  const { payload, author, outgoingSeq, attempts } = event
  const attempted = await attempt(ctx, { id, payload, author, outgoingSeq, url, keys, attempt: attempts + 1 })
  const made = { url, durationMs: Math.round(performance.now() - startedAt) }
  return { ...place, ...outcomeOf(attempted, attempts + 1, ctx.retrySeconds), made }
}

type Outcome = Omit<Settlement, 'accountId' | 'kind' | 'id' | 'token' | 'isProbe'>

/** It uses no attempt: nobody was asked. */
function notTried(category: string, detail: string): Outcome {
  const error = { category, httpStatus: null, detail }
  const given = { dueInSeconds: undefined, made: undefined, isFailure: false, isGone: false }
  return { status: 'Failed', error, ...given }
}

function outcomeOf(attempted: Attempted, attempts: number, retrySeconds: readonly number[]): Omit<Outcome, 'made'> {
  if (attempted.status === 'Sent') {
    return { status: 'Sent', error: undefined, dueInSeconds: undefined, isFailure: false, isGone: false }
  }
  const { error, failure, isGone = false } = attempted
  const dueInSeconds = failure && waitAfter(attempts, retrySeconds, failure)
  return { status: 'Failed', error, dueInSeconds, isGone, isFailure: error.category !== 'blocked_address' }
}

/** While the lease holds, nobody else tries; so the outcome is worth waiting for a database that is gone for a moment. */
async function insistOnSettling(event: LeasedEvent, settleIt: () => Promise<Settled>): Promise<Settled> {
  for (;;) {
    try {
      return await settleIt()
    } catch (error) {
      if (secondsLeft(event) <= 1) throw error
      await sleep(500)
    }
  }
}
