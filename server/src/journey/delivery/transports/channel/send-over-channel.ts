/* Step 3 of a delivery over a built-in channel: one part of a message is marked as begun, sent, and judged by the answer. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { LeasedEvent } from '../../../../outbox/enqueue-events.ts'
import { isChannelId } from '../../../../outbox/receivers.ts'
import { type FairShare, openFairShare } from '../../../../platform/database/fair-share.ts'
import { isId } from '../../../../platform/ids.ts'
import type { Answer, OutboundError } from '../../../../platform/outbound/call.ts'
import { Refusal } from '../../../../platform/refusal.ts'
import { callForAttention } from '../../../channels/attention.ts'
import { type CallProvider, makeCalls, openCallProvider } from '../../../channels/call.ts'
import type { Judgement, PartToSend, ProviderCall, ProviderKind } from '../../../channels/kinds/kind.ts'
import { hasProvider, type OpenChannels, openChannels, type ProviderChannel } from '../../../channels/open-channels.ts'
import { makeFileToken } from '../../../media/outgoing/file-token.ts'
import { hasOutFile, readOutFile } from '../../../media/outgoing/read-file.ts'
import { type Attempt, notMade, type Transport } from '../transport.ts'
import { askProvider } from './ask-provider.ts'
import { type Begun, type BegunPart, beginPart, type DoubtfulPart, findPause } from './begin-store.ts'
import type { ChannelTransportCtx } from './ctx.ts'
import { type PartOutcome, settlePart } from './settle-part.ts'

/** What is judged by credentials that were replaced meanwhile is tried again with the new ones. */
const againSeconds = 1

/** A look at the database takes less. */
const askedBeforeMs = 30

type Sending = ChannelTransportCtx & Readonly<{ channels: OpenChannels; call: CallProvider; withFile: FairShare }>

/** Returns how a message leaves over its channel, and how what came of that is stored. */
export function openSendOverChannel(ctx: ChannelTransportCtx): Pick<Transport, 'attempt' | 'settle'> {
  const sending = {
    ...ctx,
    channels: openChannels(ctx),
    call: openCallProvider(ctx),
    withFile: openFairShare(filesAtOnce),
  }
  /** What came of the part that an attempt was made for. */
  const outcomes = new WeakMap<Attempt, PartOutcome>()
  return {
    attempt: async (event) => {
      const { attempt, outcome } = await tryPart(sending, event)
      if (outcome) outcomes.set(attempt, outcome)
      return attempt
    },
    settle: (event, attempt, settlementOf) =>
      settlePart(sending, { event, attempt, outcome: outcomes.get(attempt), settlementOf }),
  }
}

type Tried = { attempt: Attempt; outcome?: PartOutcome }

async function tryPart(ctx: Sending, event: LeasedEvent): Promise<Tried> {
  const { accountId, receiverId } = event
  if (!isChannelId(receiverId)) throw new Error(`${receiverId} is no channel`)
  const channel = await ctx.channels.find({ accountId, id: receiverId })
  if (!hasProvider(channel)) return { attempt: notMade('channel_removed', 'The channel was disconnected.') }
  const { row, kind, credentials } = channel
  if (!credentials && row.state !== 'removed') {
    await callForAttention(ctx, row, { reason: 'credentials', quote: null }) // else it would be due again at once
    return { attempt: notMade('endpoint_paused', 'The credentials cannot be read.') }
  }
  if (event.isProbe && !(await answersAtAll(ctx, channel))) return notAnswering
  const begun = await begin(ctx, event, channel, false)
  if (begun.is !== 'needs its file') return goOn(ctx, channel, { begun, event, ...noFile })
  return kind.files.leave === 'by a link' ? tryWithLink(ctx, event, channel) : tryWithFile(ctx, event, channel)
}

type ToLeave = { event: LeasedEvent } & Pick<PartToSend, 'file' | 'fileUrl'>

const noFile = { file: null, fileUrl: null }

async function goOn(
  ctx: Sending,
  channel: ProviderChannel,
  { begun, ...leaves }: ToLeave & { begun: Begun },
): Promise<Tried> {
  if (begun.is === 'begun') return send(ctx, channel, { ...begun, ...leaves })
  if (begun.is === 'to be asked') return ask(ctx, channel, { event: leaves.event, part: begun.part })
  return notBegun(begun)
}

async function ask(
  { call }: Sending,
  channel: ProviderChannel,
  doubt: { event: LeasedEvent; part: DoubtfulPart },
): Promise<Tried> {
  const { asked, made } = await askProvider(call, channel, doubt)
  return { attempt: { ...waits(0), made }, outcome: { is: 'asked', ...asked } }
}

function begin({ db }: Sending, event: LeasedEvent, { row, kind }: ProviderChannel, hasFile: boolean): Promise<Begun> {
  const { perSecond, pair } = kind.pace(row.settings)
  return beginPart(db, event, { kind, perSecond: row.perSecond ?? perSecond, pair, hasFile })
}

/** Of so many messages the file is in memory at once, and nobody waits so long for it that the lease could end. */
const filesAtOnce = { slots: 4, mostWaiting: 1_000, longestWaitMs: 5_000 }
/** A message that got no place among them looks again then. */
const filesBusySeconds = 2

async function tryWithFile(ctx: Sending, event: LeasedEvent, channel: ProviderChannel): Promise<Tried> {
  const work = async (): Promise<Tried> => {
    const file = await readOutFile(ctx.db, event)
    if (!file) return fileRemoved
    return goOn(ctx, channel, { begun: await begin(ctx, event, channel, true), event, file, fileUrl: null })
  }
  try {
    return await ctx.withFile(event.accountId, work)
  } catch (error) {
    if (error instanceof Refusal) return { attempt: waits(filesBusySeconds), outcome: { is: 'not begun' } }
    throw error
  }
}

const fileRemoved: Tried = { attempt: notMade('file_removed', 'The file was removed before it was sent.') }

/** The provider fetches the file, so that it is not read here; while others can reach us. */
async function tryWithLink(ctx: Sending, event: LeasedEvent, channel: ProviderChannel): Promise<Tried> {
  const { secretKey, publicUrl } = ctx
  if (!(await hasOutFile(ctx.db, event))) return fileRemoved
  if (publicUrl === undefined) {
    const why = 'The provider fetches files from here, and there is no public address that it could call.'
    return { attempt: notMade('file_refused', why) }
  }
  const begun = await begin(ctx, event, channel, true)
  const { id: messageId } = event
  if (!isId('msg', messageId)) throw new Error(`${messageId} is no message`)
  const token = makeFileToken(secretKey, { reader: 'provider', channelId: channel.row.id, messageId }, Date.now())
  return goOn(ctx, channel, { begun, event, file: null, fileUrl: `${publicUrl}/files/${token}` })
}

const waits = (seconds: number) => ({ status: 'Waits' as const, seconds, made: undefined })

function notBegun(begun: Exclude<Begun, { is: 'begun' | 'to be asked' }>): Tried {
  if (begun.is === 'needs its file') throw new Error('a part was to be sent without its file')
  if (begun.is === 'taken') return { attempt: { status: 'Sent', made: undefined }, outcome: { is: 'taken' } }
  if (begun.is === 'waits') return { attempt: waits(begun.seconds), outcome: { is: 'not begun' } }
  if (begun.is === 'refused') return { attempt: notMade(begun.category, begun.detail) }
  if (begun.is === 'lost') return { attempt: waits(0), outcome: { is: 'lost' } }
  return { attempt: notMade('in_doubt', 'It is not known whether it arrived.'), outcome: { ...begun, is: 'given up' } }
}

/** A probe of a provider that was silent asks it something that nobody sees, before a message is begun. */
async function answersAtAll({ call }: Sending, { row, kind, credentials }: ProviderChannel): Promise<boolean> {
  const calls = kind.connect.probe(row.settings, credentials?.now)
  const fault = await makeCalls(call, { kind, channelId: row.id }, calls)
  return !fault?.isTemporary
}

/** It waits for the next probe, and has had no attempt: nothing overtakes it. */
const notAnswering: Tried = {
  attempt: { status: 'Waits', seconds: 1, made: undefined },
  outcome: { is: 'no answer' },
}

async function send(
  ctx: Sending,
  channel: ProviderChannel,
  { event, part, waitMs, ...withIt }: Extract<Begun, { is: 'begun' }> & ToLeave,
): Promise<Tried> {
  const { row, kind, credentials } = channel
  const pausedSeconds = await waitForPlace(ctx, event, waitMs)
  if (pausedSeconds !== undefined) return putBack(channel, part, pausedSeconds)
  const { n, address, secondsLeft } = part
  const { hookUrl } = row
  const toSend: PartToSend = { messageId: event.id, n, part: part.part, address, hookUrl, secondsLeft, ...withIt }
  const call = kind.request(toSend, row.settings, credentials?.now)
  const startedAt = performance.now()
  const answer = await ctx.call({ kind, channelId: row.id }, call)
  const judgement = kind.judge(answer, toSend)
  const made = { url: kind.origins.api ?? '', durationMs: Math.round(performance.now() - startedAt) }
  return triedOf(channel, { part, call, judgement, made, answer })
}

/** Shortly before its place it is asked whether it may not leave any more: for how many seconds, or undefined. */
async function waitForPlace({ db }: Sending, event: LeasedEvent, waitMs: number): Promise<number | undefined> {
  if (waitMs === 0) return undefined // it was asked a moment ago
  const leavesAt = performance.now() + waitMs
  await sleep(Math.max(0, waitMs - askedBeforeMs))
  const pausedSeconds = await findPause(db, event)
  await sleep(Math.max(0, leavesAt - performance.now()))
  return pausedSeconds
}

/** It was begun and has not left. */
function putBack({ row, kind }: ProviderChannel, part: BegunPart, seconds: number): Tried {
  const judgement: Judgement = { is: 'later', seconds, holds: 'pair' }
  return {
    attempt: { status: 'Waits', seconds, made: undefined },
    outcome: {
      is: 'judged',
      part,
      judgement,
      called: '',
      channel: row,
      asksAfter: asksAfter(kind),
      tells: kind.receipts,
    },
  }
}

type Sent = {
  part: BegunPart
  call: ProviderCall
  judgement: Judgement
  made: NonNullable<Attempt['made']>
  answer: Answer | OutboundError
}

const asksAfter = ({ ask }: ProviderKind) => ask?.afterSeconds[0] ?? null

/** An attempt in the terms that all transports share, and beside it what became of the part. */
function triedOf({ kind, row }: ProviderChannel, { part, call, judgement, made, answer }: Sent): Tried {
  const called = `${new URL(kind.origins.api ?? '').host} ${call.operation}`
  const httpStatus = 'status' in answer ? answer.status : null
  const failed = (category: string, detail: string) => ({
    status: 'Failed' as const,
    error: { category, httpStatus, detail },
    made,
  })
  const known = { channel: row, asksAfter: asksAfter(kind), tells: kind.receipts }
  const outcome = { is: 'judged' as const, part, judgement, called, ...known }
  switch (judgement.is) {
    case 'sent':
      return { attempt: part.isLast ? { status: 'Sent', made } : { status: 'Waits', seconds: 0, made }, outcome }
    case 'later':
      return { attempt: { status: 'Waits', seconds: judgement.seconds, made }, outcome }
    case 'failed': {
      const attempt = failed(judgement.effect === 'blocked' ? 'blocked' : 'provider_error', judgement.detail)
      return { attempt: judgement.retries ? { ...attempt, failure: { isOverloaded: false } } : attempt, outcome }
    }
    case 'broken':
      return { attempt: { status: 'Waits', seconds: againSeconds, made }, outcome }
    case 'in doubt':
      return { attempt: { ...failed('in_doubt', judgement.detail), failure: { isOverloaded: false } }, outcome }
  }
}
