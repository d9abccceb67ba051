/*
 * One step of a broadcast: copies the next part of the list, or takes note of deliveries that are over and makes the next
 * messages. Each step is one short transaction that holds the broadcast's row, so any number of processes may run any
 * number of steps; one that dies leaves a step as a whole or not at all.
 */

import { sql } from 'kysely'
import type { Dispatcher } from '../../../outbox/dispatcher.ts'
import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { messageWebhook } from '../../../outbox/receivers.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { withLockTimeout } from '../../../platform/database/lock-timeout.ts'
import type { ContactId } from '../../../platform/ids.ts'
import {
  type Broadcast,
  type BroadcastRef,
  lockBroadcast,
  saveBroadcast,
  waitingForTheirTurn,
} from '../record/store.ts'
import { type NotedOutcomes, noteOutcomes } from '../results/outcomes.ts'
import { firstAtOnce, mayMake } from './pace.ts'
import { copyMembers } from './prepare-store.ts'
import { lockQueue, type OmittedRecipient, type Pace, readPace } from './recipient-store.ts'
import { writeToRecipients } from './write-to-recipients.ts'

export type AdvanceCtx = Readonly<{
  db: Db
  secretKey: Buffer
  /** How many deliveries of an account's broadcasts may be due or in flight. */
  window: number
  dispatcher: Dispatcher
}>

export type Step = {
  /** A screen may show something else now. */
  hasChanged: boolean
  /** To whom messages were made. */
  recipients: ContactId[]
  /** When there may be more to do; a delivery that is over is another reason. */
  againInMs: number
}

/** Contacts of the list that one step copies. */
const copiedAtOnce = 1_000

/** Nothing but a delivery or a user changes what there is to do. */
const idleMs = 1_000

/** When its receiver can take nothing for this long, a broadcast is paused. */
const haltsAfterSeconds = 600

/** What of a step can be delivered at once is passed to the delivery of this process, in memory, after the commit. */
export async function advance(ctx: AdvanceCtx, ref: BroadcastRef): Promise<Step> {
  const { dispatcher, window } = ctx
  const reserved = Array.from({ length: window }, () =>
    dispatcher.reserve({ accountId: ref.accountId, receiverId: messageWebhook }),
  )
  const tokens = new Set(reserved.flatMap((token) => token ?? []))
  try {
    const { leased, ...step } = await takeStep(ctx, ref, [...tokens])
    for (const event of leased) {
      tokens.delete(event.token)
      dispatcher.take(event)
    }
    if (step.recipients.length > leased.length) dispatcher.wake()
    return step
  } finally {
    for (const token of tokens) dispatcher.giveBack(token)
  }
}

type StepWithEvents = Step & { leased: LeasedEvent[] }

async function takeStep(ctx: AdvanceCtx, ref: BroadcastRef, tokens: string[]): Promise<StepWithEvents> {
  const none = { hasChanged: false, recipients: [], leased: [], againInMs: idleMs }
  const work = async (tx: Tx): Promise<StepWithEvents> => {
    if (!(await lockQueue(tx, ref.accountId))) return { ...none, againInMs: 50 }
    const broadcast = await lockBroadcast(tx, ref)
    if (!broadcast) return none
    if (broadcast.state === 'preparing') return prepare(tx, ref, broadcast)
    const settled: NotedOutcomes =
      broadcast.open > 0 ? await noteOutcomes(tx, broadcast) : { change: {}, count: 0, isFull: false }
    const now = { ...broadcast, ...settled.change }
    if (broadcast.state !== 'running') {
      if (settled.count > 0) await saveBroadcast(tx, ref, settled.change)
      return { ...none, hasChanged: settled.count > 0 }
    }
    return run(ctx, tx, { broadcast: now, settled, tokens })
  }
  return withLockTimeout(ctx.db, work, { retryStates: ['23505'] }) // somebody has just got an id that it gives
}

async function prepare(tx: Tx, ref: BroadcastRef, broadcast: Broadcast): Promise<StepWithEvents> {
  const { copied, optedOut, noId, noAddress, idTaken, last } = await copyMembers(tx, broadcast, copiedAtOnce)
  const isDone = copied < copiedAtOnce
  await saveBroadcast(tx, ref, {
    recipients: broadcast.recipients + copied,
    optedOut: broadcast.optedOut + optedOut,
    noId: broadcast.noId + noId,
    noAddress: broadcast.noAddress + noAddress,
    idTaken: broadcast.idTaken + idTaken,
    preparedAfter: isDone ? '' : (last ?? broadcast.preparedAfter), // it names a contact, who may be erased later
    ...(isDone && { state: 'running', preparedAt: sql<Date>`now()`, pacedAt: firstAtOnce(broadcast.ratePerMinute) }),
  })
  return { hasChanged: true, recipients: [], leased: [], againInMs: 0 }
}

type RunInput = { broadcast: Broadcast; settled: NotedOutcomes; tokens: string[] }

async function run(ctx: AdvanceCtx, tx: Tx, { broadcast, settled, tokens }: RunInput): Promise<StepWithEvents> {
  const ref = { accountId: broadcast.accountId, broadcastId: broadcast.id }
  const pace = await readPace(tx, broadcast)
  const { most, pacedAt, againInMs } = mayMake(broadcast.ratePerMinute, pace, ctx.window)
  const batch = { broadcast, most, onlySimulated: pace.trouble !== null, tokens }
  const { recipients, leased, leftOut, isHeldUp } = await writeToRecipients(ctx.secretKey, tx, batch)
  const count = (reason: OmittedRecipient['reason']) => leftOut.filter((one) => one.reason === reason).length
  const counters = {
    open: broadcast.open + recipients.length,
    optedOut: broadcast.optedOut + count('opted_out'),
    noId: broadcast.noId + count('no_id'),
    noAddress: broadcast.noAddress + count('no_address'),
    idTaken: broadcast.idTaken + count('id_taken'),
    erased: broadcast.erased + count('erased'),
  }
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
      ...(recipients.length > 0 && { pacedAt: pacedAt(recipients.length) }),
      ...(isFinished && { state: 'finished', endedAt: sql<Date>`now()` }),
    })
  }
  return { hasChanged, recipients, leased, againInMs: leftOut.length > 0 || settled.isFull ? 0 : againInMs }
}

/** The receiver of those whose turn it is can take nothing. */
function waitingChange({ waitingReason }: Broadcast, { trouble, waitedSeconds }: Pace) {
  if (trouble === null) return {}
  if (waitedSeconds >= haltsAfterSeconds) {
    const halted = { haltedAt: sql<Date>`now()`, haltedReason: trouble }
    return { state: 'paused' as const, waitingSince: null, waitingReason: null, ...halted }
  }
  if (waitingReason === trouble) return {}
  return { waitingSince: sql<Date>`coalesce(waiting_since, now())`, waitingReason: trouble }
}

const endOfWaiting = ({ waitingReason }: Broadcast) =>
  waitingReason === null ? {} : { waitingSince: null, waitingReason: null }
