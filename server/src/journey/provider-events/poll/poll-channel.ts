import type { AttentionReason } from '@patchbay/contract/channels.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Log } from '../../../platform/log.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import type { Answer, OutboundError } from '../../../platform/outbound/call.ts'
import { callForAttention, endAttention } from '../../channels/attention.ts'
import type { CallProvider } from '../../channels/call.ts'
import { hasProvider, type OpenChannel, type OpenChannels } from '../../channels/open-channels.ts'
import type { TakeIn } from '../take-in.ts'
import { moveCursor, type Poll, releasePoll, renewPoll } from './poll-store.ts'

export type PollCtx = Readonly<{
  db: Db
  channels: OpenChannels
  call: CallProvider
  takeIn: TakeIn
  hint: Hint
  log: Log
}>

/** Whether a channel may be fetched from for as long as nothing comes, for a moment because others wait, or no more for now. */
export type TurnOf = () => Promise<'free' | 'brief' | 'over'>

/** Whoever else fetches has a minute before we try again. */
const afterConflictSeconds = 60
const afterFaultSeconds = 600

/** While many events are kept, one after another. */
const renewEveryMs = 5_000

/**
 * Fetches from a channel for as long as the lease holds: one request after another, each of which confirms what the one before
 * brought, and only when that is kept. It ends when it is told to stop, when its turn is over, when the lease is another's, and when
 * the provider refuses; then others may go on after a while. The lease is renewed when a request has come back and while its events are kept: a
 * process that stood still meanwhile neither keeps anything nor judges the answer, which may only say that another one of ours
 * fetches by now.
 */
export async function pollChannel(ctx: PollCtx, poll: Poll, stopping: AbortSignal, turnOf: TurnOf): Promise<void> {
  let { cursor } = poll
  const ref = { accountId: poll.accountId, id: poll.channelId }
  // What this process remembers of the channel may be from before it was released, or had new credentials.
  ctx.channels.forget(ref)
  while (!stopping.aborted) {
    const channel = await ctx.channels.find(ref)
    if (!hasProvider(channel)) return releasePoll(ctx.db, poll, afterFaultSeconds)
    const { poll: side } = channel.kind
    if (!channel.credentials || !side || channel.row.isHeld) return releasePoll(ctx.db, poll, afterFaultSeconds)
    const { row, kind, credentials } = channel
    const turn = await turnOf()
    if (turn === 'over') break
    const call = side.request(cursor, row.settings, credentials.now, turn === 'brief')
    const outcome = await ctx.call({ kind, channelId: row.id }, call, stopping).catch(undefinedIf(stopping))
    if (!outcome) break
    if (!(await renewPoll(ctx.db, poll))) return
    const polled = side.judge(outcome, Date.now())
    if (polled.is === 'events') {
      if (!(await ctx.takeIn(channel, polled.events, openStaysOurs(ctx, poll)))) return
      if (polled.cursor !== null) {
        cursor = polled.cursor
        if (!(await moveCursor(ctx.db, poll, cursor))) return
      }
      await endOtherReader(ctx, channel)
    } else if (polled.is === 'later') return releasePoll(ctx.db, poll, polled.seconds)
    else return giveWay(ctx, { poll, channel, polled })
  }
  await releasePoll(ctx.db, poll, 0)
}

/** Renews the lease now and then; false: it is another's. */
export function openStaysOurs({ db }: Pick<PollCtx, 'db'>, poll: Poll): () => Promise<boolean> {
  let renewedAt = performance.now()
  return async () => {
    if (performance.now() - renewedAt < renewEveryMs) return true
    renewedAt = performance.now()
    return renewPoll(db, poll)
  }
}

function undefinedIf(stopping: AbortSignal): (error: unknown) => undefined | (Answer | OutboundError) {
  return (error) => {
    if (!stopping.aborted) throw error
    return undefined
  }
}

type GivesWay = {
  poll: Poll
  channel: OpenChannel
  polled: { is: 'conflict'; quote: string } | { is: 'broken'; fault: { quote: string | null } }
}

/** Somebody has to do something; until then we try now and then whether it has been done. */
async function giveWay(ctx: PollCtx, { poll, channel, polled }: GivesWay): Promise<void> {
  const isConflict = polled.is === 'conflict'
  const reason: AttentionReason = isConflict ? 'other reader' : 'credentials'
  const quote = isConflict ? polled.quote : polled.fault.quote
  await callForAttention(ctx, channel.row, { reason, quote })
  ctx.channels.forget(channel.row)
  const now = await ctx.channels.find(channel.row)
  // Refused with credentials that were replaced meanwhile: the new ones are tried at once.
  const isOutdated = now?.row.version !== channel.row.version
  const seconds = isConflict ? afterConflictSeconds : afterFaultSeconds
  await releasePoll(ctx.db, poll, isOutdated ? 0 : seconds)
}

/** That nobody else fetches shows when a request is answered. */
async function endOtherReader(ctx: PollCtx, { row }: OpenChannel): Promise<void> {
  if (row.attentionReason === 'other reader') await endAttention(ctx, row, 'other reader')
}
