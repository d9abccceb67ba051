/*
 * One step of a broadcast: starts it when it is time, copies the next part of the list, or takes note of deliveries that are over and makes the next
 * messages. Each step is one short transaction that holds the broadcast's row, so any number of processes may run any
 * number of steps; one that dies leaves a step as a whole or not at all.
 */

import { sql } from 'kysely'
import { requestRechargeWhenShort } from '../../../business/credits/recharge.ts'
import { NotEnoughCredits } from '../../../business/credits/spend.ts'
import type { Dispatcher } from '../../../outbox/dispatcher.ts'
import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { isChannelId, messageWebhook } from '../../../outbox/receivers.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { withLockTimeout } from '../../../platform/database/lock-timeout.ts'
import type { ChannelId, ContactId } from '../../../platform/ids.ts'
import { audienceOf } from '../record/audience.ts'
import {
  type Broadcast,
  type BroadcastRef,
  lockBroadcast,
  saveBroadcast,
  waitingForTheirTurn,
} from '../record/store.ts'
import { findWay } from '../record/way.ts'
import { type NotedOutcomes, noteOutcomes } from '../results/outcomes.ts'
import { type Batch, makeBatch } from './make-batch.ts'
import { firstAtOnce } from './pace.ts'
import { copyMembers } from './prepare-store.ts'
import { lockQueue, type OmittedRecipient, type Pace, readPace } from './recipient-store.ts'
import { startWhenItIsTime } from './start-when-it-is-time.ts'

export type AdvanceCtx = Readonly<{
  db: Db
  secretKey: Buffer
  /** How many deliveries of an account's broadcasts may be due or in flight: over custom channels, and over each built-in one. */
  window: number
  channelWindow: number
  dispatcher: Dispatcher
}>

export type Step = {
  /** A screen may show something else now. */
  hasChanged: boolean
  /** To whom messages were made. */
  recipients: ContactId[]
  /** Those messages have cost credits. */
  isCharged?: boolean
  /** When there may be more to do; a delivery that is over is another reason. */
  againInMs: number
}

/** Contacts of the list that one step copies. */
const copiedAtOnce = 1_000

/** Nothing but a delivery or a user changes what there is to do. */
const idleMs = 1_000

/** When nothing can be sent for this long, a broadcast is paused. */
const haltsAfterSeconds = 600

/**
 * What of a step can be delivered at once is passed to the delivery of this process, in memory, after the commit. What goes over a
 * built-in channel is claimed there, in the order of its conversation and of the places of the channel.
 */
export async function advance(ctx: AdvanceCtx, ref: BroadcastRef): Promise<Step> {
  const { dispatcher } = ctx
  const reserved = openReserved(ctx, ref)
  try {
    const { leased, receiverId, ...step } = await takeStep(ctx, ref, reserved.all)
    for (const event of leased) {
      reserved.use(event.token)
      dispatcher.take(event)
    }
    if (step.recipients.length > leased.length) {
      dispatcher.wake(receiverId === undefined ? undefined : { accountId: ref.accountId, receiverId })
    }
    return step
  } finally {
    reserved.giveBack()
  }
}

/** Leases for what a broadcast over a custom channel makes: reserved once, however often its transaction is run. */
function openReserved({ dispatcher, window }: AdvanceCtx, { accountId }: BroadcastRef) {
  let tokens: Set<string> | undefined
  const reserve = () => dispatcher.reserve({ accountId, receiverId: messageWebhook })
  return {
    all: (): string[] => {
      tokens ??= new Set(Array.from({ length: window }, reserve).flatMap((token) => token ?? []))
      return [...tokens]
    },
    use: (token: string) => tokens?.delete(token),
    giveBack: () => {
      for (const token of tokens ?? []) dispatcher.giveBack(token)
    },
  }
}

/** `receiverId`: the built-in channel over which messages were made. */
type StepWithEvents = Step & { leased: LeasedEvent[]; receiverId?: ChannelId | undefined }

async function takeStep(ctx: AdvanceCtx, ref: BroadcastRef, reserve: () => string[]): Promise<StepWithEvents> {
  const none = { hasChanged: false, recipients: [], leased: [], againInMs: idleMs }
  const work = async (tx: Tx): Promise<StepWithEvents> => {
    if (!(await lockQueue(tx, ref.accountId))) return { ...none, againInMs: 50 }
    const broadcast = await lockBroadcast(tx, ref)
    if (!broadcast) return none
    if (broadcast.state === 'scheduled') {
      const hasChanged = await startWhenItIsTime(tx, broadcast)
      return hasChanged ? { ...none, hasChanged, againInMs: 0 } : none
    }
    if (broadcast.state === 'preparing') return prepare(tx, ref, broadcast)
    const settled: NotedOutcomes =
      broadcast.open > 0 ? await noteOutcomes(tx, broadcast) : { change: {}, count: 0, isFull: false }
    const now = { ...broadcast, ...settled.change }
    if (broadcast.state !== 'running') {
      if (settled.count > 0) await saveBroadcast(tx, ref, settled.change)
      return { ...none, hasChanged: settled.count > 0 }
    }
    return run(ctx, tx, { broadcast: now, settled, reserve })
  }
  try {
    return await withLockTimeout(ctx.db, work, { retryStates: ['23505'] }) // somebody has just got an id that it gives
  } catch (error) {
    if (error instanceof NotEnoughCredits) return { ...none, againInMs: 100 } // others have used them at this moment
    throw error
  }
}

async function prepare(tx: Tx, ref: BroadcastRef, broadcast: Broadcast): Promise<StepWithEvents> {
  const way = await findWay(tx, broadcast.accountId, broadcast.channel)
  const audience = audienceOf(broadcast, way)
  const { copied, last, ...left } = await copyMembers(tx, { broadcast, audience }, copiedAtOnce)
  const isDone = copied < copiedAtOnce
  await saveBroadcast(tx, ref, {
    recipients: broadcast.recipients + copied,
    optedOut: broadcast.optedOut + left.optedOut,
    blocked: broadcast.blocked + left.blocked,
    noId: broadcast.noId + left.noId,
    noAddress: broadcast.noAddress + left.noAddress,
    idTaken: broadcast.idTaken + left.idTaken,
    preparedAfter: isDone ? '' : (last ?? broadcast.preparedAfter), // it names a contact, who may be erased later
    ...(isDone && { state: 'running', preparedAt: sql<Date>`now()`, pacedAt: firstAtOnce(broadcast.ratePerMinute) }),
  })
  return { hasChanged: true, recipients: [], leased: [], againInMs: 0 }
}

type RunInput = { broadcast: Broadcast; settled: NotedOutcomes; reserve: () => string[] }

async function run(ctx: AdvanceCtx, tx: Tx, { broadcast, settled, reserve }: RunInput): Promise<StepWithEvents> {
  const ref = { accountId: broadcast.accountId, broadcastId: broadcast.id }
  const pace = await readPace(tx, broadcast)
  const batch = await makeBatch(ctx, tx, { broadcast, pace, reserve })
  const { recipients, leased, leftOut, isHeldUp, againInMs } = batch
  const counters = countLeftOut(broadcast, batch)
  const isOver = waitingForTheirTurn({ ...broadcast, ...counters }) === 0
  const isFinished = isOver && pace.ownInFlight + recipients.length === 0
  const waiting = isHeldUp ? waitingChange(broadcast, pace) : endOfWaiting(broadcast)
  const hasChanged =
    settled.count + recipients.length + leftOut.length > 0 || isFinished || Object.keys(waiting).length > 0
  if (hasChanged) {
    await saveBroadcast(tx, ref, {
      ...settled.change,
      ...counters,
      ...waiting,
      ...(recipients.length > 0 && { pacedAt: batch.pacedAt }),
      ...(isFinished && { state: 'finished', endedAt: sql<Date>`now()` }),
    })
  }
  if (isHeldUp && pace.trouble === 'no_credits') {
    await requestRechargeWhenShort(tx, broadcast.accountId, BigInt(pace.unitsPerMessage))
  }
  const receiverId = isChannelId(broadcast.channel) ? broadcast.channel : undefined
  const isMore = leftOut.length > 0 || settled.isFull
  const isCharged = recipients.length > 0 && pace.unitsPerMessage !== '0'
  return { hasChanged, recipients, isCharged, leased, receiverId, againInMs: isMore ? 0 : againInMs }
}

function countLeftOut(broadcast: Broadcast, { recipients, leftOut }: Batch) {
  const count = (reason: OmittedRecipient['reason']) => leftOut.filter((one) => one.reason === reason).length
  return {
    open: broadcast.open + recipients.length,
    optedOut: broadcast.optedOut + count('opted_out'),
    blocked: broadcast.blocked + count('blocked'),
    noId: broadcast.noId + count('no_id'),
    noAddress: broadcast.noAddress + count('no_address'),
    idTaken: broadcast.idTaken + count('id_taken'),
    erased: broadcast.erased + count('erased'),
  }
}

/** Nothing can be sent to those whose turn it is. A channel that was removed does not come back by itself. */
function waitingChange({ waitingReason }: Broadcast, { trouble, waitedSeconds }: Pace) {
  if (trouble === null) return {}
  if (waitedSeconds >= haltsAfterSeconds || trouble === 'channel_removed') {
    const halted = { haltedAt: sql<Date>`now()`, haltedReason: trouble }
    return { state: 'paused' as const, waitingSince: null, waitingReason: null, ...halted }
  }
  if (waitingReason === trouble) return {}
  return { waitingSince: sql<Date>`coalesce(waiting_since, now())`, waitingReason: trouble }
}

const endOfWaiting = ({ waitingReason }: Broadcast) =>
  waitingReason === null ? {} : { waitingSince: null, waitingReason: null }
