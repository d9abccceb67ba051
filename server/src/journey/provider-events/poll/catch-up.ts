import { type CallProvider, makeCalls } from '../../channels/call.ts'
import type { CatchUp, ProviderEvent } from '../../channels/kinds/kind.ts'
import { hasProvider, type ProviderChannel } from '../../channels/open-channels.ts'
import { overlapMs } from '../../channels/poll-row-store.ts'
import { lookSoon } from '../../channels/store.ts'
import { openStaysOurs, type PollCtx } from './poll-channel.ts'
import { moveCursor, type Poll, releasePoll, renewPoll } from './poll-store.ts'

const afterFaultSeconds = 60

/** A channel over which nothing comes is asked for so much: what an erased contact wrote is known for longer. */
const mostAskedMs = 30 * 24 * 3_600_000

/**
 * Asks a provider that calls us for what it may have told us in vain: it gives up after seconds, and a server is away for longer. What is
 * here already is found as a copy. The oldest comes first, and `cursor` moves when it is kept, so that whoever dies in between loses
 * nothing; only who has the lease keeps anything.
 */
export async function catchUp(ctx: PollCtx, poll: Poll, stopping: AbortSignal): Promise<void> {
  ctx.channels.forget({ accountId: poll.accountId, id: poll.channelId })
  const channel = await ctx.channels.find({ accountId: poll.accountId, id: poll.channelId })
  const side = hasProvider(channel) ? channel.kind.catchUp : null
  if (!hasProvider(channel) || !side) return releasePoll(ctx.db, poll, overlapMs / 1_000)
  const { everySeconds } = side
  if (!channel.credentials || channel.row.isHeld) return releasePoll(ctx.db, poll, everySeconds)
  // What comes now goes to another tool, and is its.
  if (channel.row.attentionReason === 'other reader') {
    await moveCursor(ctx.db, poll, BigInt(Date.now() + overlapMs))
    return releasePoll(ctx.db, poll, everySeconds)
  }
  const isTold = await keepMissing(ctx, { poll, channel, side, stopping })
  if (isTold === 'lost') return
  await releasePoll(ctx.db, poll, isTold === 'stopped' ? 0 : isTold === 'failed' ? afterFaultSeconds : everySeconds)
}

type Asked = {
  poll: Poll
  channel: ProviderChannel
  side: CatchUp<unknown, unknown>
  stopping: AbortSignal
}

/**
 * List after list, until one has nothing that is later than what is kept: a list may be cut off, and may have to leave out for now what
 * cannot be read whole. `lost`: the lease is another's.
 */
async function keepMissing(ctx: PollCtx, asked: Asked): Promise<'done' | 'failed' | 'stopped' | 'lost'> {
  const { poll, channel, stopping } = asked
  let keptUntil = Math.max(Number(poll.cursor), Date.now() - mostAskedMs)
  let since = keptUntil - overlapMs
  for (;;) {
    const listed = await list(ctx, asked, since)
    if (listed === 'lost' || listed === 'stopped') return listed
    if ('fault' in listed) {
      ctx.log.warn({ reason: listed.fault, channelId: channel.row.id }, 'what may be missing cannot be asked for now')
      if (!listed.isTemporary) await lookSoon(ctx.db, channel.row)
      return 'failed'
    }
    if (!(await ctx.takeIn(channel, listed, openStaysOurs(ctx, poll)))) return 'lost'
    const last = lastTimeOf(listed)
    const isAll = last <= since
    keptUntil = Math.max(keptUntil, Math.min(last, Date.now())) // no time ahead of ours keeps us from what comes next
    if (!(await moveCursor(ctx.db, poll, BigInt(keptUntil)))) return 'lost'
    if (isAll) return 'done'
    if (stopping.aborted) return 'stopped'
    since = last
  }
}

type Listed = ProviderEvent[] | { fault: string; isTemporary: boolean }

/** A list may be many calls: the lease is renewed before each. */
async function list(
  { db, call }: PollCtx,
  { poll, channel, side, stopping }: Asked,
  since: number,
): Promise<Listed | 'lost' | 'stopped'> {
  const { kind, row, credentials } = channel
  const lost = new AbortController()
  const renewing: CallProvider = async (caller, request, signal) => {
    if (!(await renewPoll(db, poll))) lost.abort()
    return call(caller, request, signal)
  }
  const signal = AbortSignal.any([stopping, lost.signal])
  try {
    const calls = side.list(since, row.settings, credentials?.now)
    const listed = await makeCalls(renewing, { kind, channelId: row.id }, calls, signal)
    return (await renewPoll(db, poll)) ? listed : 'lost'
  } catch (error) {
    if (lost.signal.aborted) return 'lost'
    if (stopping.aborted) return 'stopped'
    throw error
  }
}

function lastTimeOf(events: ProviderEvent[]): number {
  return Math.max(0, ...events.map((event) => ('at' in event ? event.at : 0)))
}
