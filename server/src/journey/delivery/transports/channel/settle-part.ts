/* Step 4 of a delivery over a channel: part, message and what is known of its receiver are stored together. */

import type { Db, Tx } from '../../../../platform/database/db.ts'
import type { Hint } from '../../../../platform/notify/hints.ts'
import { callForAttention } from '../../../channels/attention.ts'
import type { Judgement } from '../../../channels/kinds/kind.ts'
import type { ChannelRow } from '../../../channels/store.ts'
import { retryDelaySeconds } from '../../outcome/retry-schedule.ts'
import { retryWhileLeased } from '../../outcome/settle.ts'
import type { Settled } from '../transport.ts'
import { type BegunPart, doubtSeconds } from './begin-store.ts'
import { giveUp, release, settleAs, settleTaken, type Tried } from './end-attempt.ts'
import { noteBlocked } from './note-blocked.ts'
import {
  countSilence,
  endSilence,
  giveBackProbe,
  holdLease,
  pauseChannelFor,
  readReceipt,
  readWhole,
  writeAccepted,
  writeDoubt,
  writeNotSent,
} from './part-store.ts'
import { type Asked, storeAsked } from './settle-asked.ts'

export type PartOutcome =
  | {
      is: 'judged'
      part: BegunPart
      judgement: Judgement
      called: string
      channel: ChannelRow
      asksAfter: number | null
      /** The kind tells later what became of it. */
      tells: boolean
    }
  /** Its provider was asked what became of it. */
  | ({ is: 'asked' } & Asked)
  /** Nothing is left to be sent, by what receipts have said. */
  | { is: 'taken' }
  /** Nothing was sent. */
  | { is: 'not begun' }
  /** Nothing was sent, because the provider does not even say who we are. */
  | { is: 'no answer' }
  /** It may have arrived, and nobody tries it again by themselves. */
  | { is: 'given up'; isBroadcast: boolean }
  /** Another process has the lease. */
  | { is: 'lost' }

type Ctx = Readonly<{ db: Db; hint: Hint }>
type Given = Tried & { outcome: PartOutcome | undefined }

/** A message whose first part has arrived lets others go first only when the rest has failed for so long. */
const keepsLineMs = 10 * 60_000

const lost: Settled = { isOurs: false, hasMore: false, dueInSeconds: undefined }

export async function settlePart(ctx: Ctx, given: Given): Promise<Settled> {
  const { event, outcome } = given
  if (outcome?.is === 'lost') return lost
  const broken = outcome?.is === 'judged' && outcome.judgement.is === 'broken' ? outcome.judgement : undefined
  // First, so that what waits is held back before this one is due again.
  if (broken && outcome?.is === 'judged') {
    const { code, detail, reason = 'credentials' } = broken
    await callForAttention(ctx, outcome.channel, { reason, quote: `${code} ${detail}` })
  }
  return retryWhileLeased(event, () =>
    ctx.db.transaction().execute(async (tx) => ((await holdLease(tx, event)) ? store(tx, given) : lost)),
  )
}

async function store(tx: Tx, given: Given): Promise<Settled> {
  const { event, attempt, outcome } = given
  if (outcome?.is === 'judged') return storeJudged(tx, given, outcome)
  if (outcome?.is === 'asked') return storeAsked(tx, given, outcome)
  if (attempt.status === 'Waits') {
    if (outcome?.is === 'no answer') await countSilence(tx, event)
    else if (event.isProbe) await giveBackProbe(tx, event)
    return release(tx, event, { seconds: attempt.seconds, isInDoubt: null })
  }
  if (outcome?.is === 'given up') return giveUp(tx, given, outcome)
  if (outcome?.is === 'taken') return settleTaken(tx, given, await readWhole(tx, event), { tells: true })
  return settleAs(tx, given, attempt, { isInDoubt: null })
}

type Judged = Extract<PartOutcome, { is: 'judged' }>

async function storeJudged(tx: Tx, given: Given, judged: Judged): Promise<Settled> {
  const { part, judgement } = judged
  const { event } = given
  const ref = { ...event, n: part.n }
  const taken =
    judgement.is === 'sent' ? await writeAccepted(tx, ref, judgement.providerId) : await readReceipt(tx, ref)
  if (event.isProbe && (taken || isAnswer(judgement))) await endSilence(tx, event)
  return taken ? settleTaken(tx, given, taken, judged) : storeNotTaken(tx, given, judged)
}

async function storeNotTaken(tx: Tx, given: Given, judged: Judged): Promise<Settled> {
  const { event, attempt } = given
  const { part, judgement, called } = judged
  switch (judgement.is) {
    case 'sent':
      throw new Error('what was sent is with its provider')
    case 'later':
      await writeNotSent(tx, event, part, { counts: false })
      if (judgement.holds === 'channel') await pauseChannelFor(tx, event, judgement.seconds)
      return release(tx, event, { seconds: judgement.seconds, isInDoubt: part.isResend })
    case 'broken':
      // It is due again at once: by then the channel is paused, or has other credentials.
      await writeNotSent(tx, event, part, { counts: false, code: judgement.code, detail: judgement.detail })
      return release(tx, event, { seconds: attempt.status === 'Waits' ? attempt.seconds : 0, isInDoubt: part.isResend })
    case 'in doubt':
      return storeDoubt(tx, given, { ...judged, judgement })
    case 'failed':
      await writeNotSent(tx, event, part, { counts: true, code: judgement.code, detail: judgement.detail })
      if (judgement.effect === 'blocked') await noteBlocked(tx, event)
      if (judgement.retries && !stepsAside(part)) return keepLine(tx, given, part)
      return settleAs(tx, given, attempt, {
        called,
        isInDoubt: judgement.retries && part.isResend,
        isRefused: !judgement.retries,
      })
  }
}

/** What was refused for good says that the provider is there; what is to be tried again does not. */
function isAnswer(judgement: Judgement): boolean {
  return judgement.is === 'failed' ? !judgement.retries : judgement.is !== 'in doubt'
}

/** Whether others of the conversation may go first: at the second failure in a row, or, after a first part, when it has lasted. */
function stepsAside({ attempts, firstAcceptedAt }: BegunPart): boolean {
  return firstAcceptedAt === null ? attempts > 0 : Date.now() - firstAcceptedAt.getTime() > keepsLineMs
}

/** It is tried again by the schedule, and no other message of the conversation overtakes it meanwhile. */
async function keepLine(tx: Tx, { event, attempt, settlementOf }: Given, part: BegunPart): Promise<Settled> {
  if (attempt.status !== 'Failed') throw new Error('only what failed is tried again')
  const { isFailure } = settlementOf(event, attempt)
  if (isFailure) await countSilence(tx, event)
  return release(tx, event, {
    seconds: retryDelaySeconds(part.attempts + 1, lineSchedule, { isOverloaded: false }) ?? 60,
    isInDoubt: part.isResend,
  })
}

/** While it keeps others from going first. */
const lineSchedule = [5, 15, 60, 60, 60, 60, 60, 60, 60, 60]

/**
 * The line of the conversation waits until it is known, or it has left once more. A second doubt is a person's to decide, and one of a
 * broadcast that nobody can be asked about ends at once.
 */
async function storeDoubt(
  tx: Tx,
  given: Given,
  { part, judgement, called, asksAfter }: Judged & { judgement: Extract<Judgement, { is: 'in doubt' }> },
): Promise<Settled> {
  const { event } = given
  const { isBroadcast } = part
  await writeDoubt(tx, { ...event, n: part.n }, judgement.detail)
  if (part.isResend || (isBroadcast && asksAfter === null)) return giveUp(tx, given, { called, isBroadcast })
  await countSilence(tx, event)
  return release(tx, event, { seconds: asksAfter ?? doubtSeconds, isInDoubt: true })
}
