import { type CallProvider, makeCalls } from '../../channels/call.ts'
import type { CatchUp, ProviderEvent } from '../../channels/kinds/kind.ts'
import { hasProvider, type ProviderChannel } from '../../channels/open-channels.ts'
import { overlapMs } from '../../channels/poll-row-store.ts'
import { lookSoon } from '../../channels/store.ts'
import { openStaysOurs, type PollCtx } from './poll-channel.ts'
import { moveCursor, type Poll, releasePoll, renewPoll } from './poll-store.ts'

/** Of one list; where there are more, the next one goes on after them. */
const mostAtOnce = 1_000

const afterFaultSeconds = 60

/** When nothing came for longer, it is asked from then on: as far apart no two clocks are, that of the provider and ours. */
const clocksApartMs = 3_600_000

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

/** `lost`: the lease is another's. */
async function keepMissing(ctx: PollCtx, asked: Asked): Promise<'done' | 'failed' | 'stopped' | 'lost'> {
  const { poll, channel, stopping } = asked
  let since = Number(poll.cursor) - overlapMs
  for (;;) {
    const startedAt = Date.now()
    const listed = await list(ctx, asked, since)
    if (listed === 'lost' || listed === 'stopped') return listed
    if ('fault' in listed) {
      ctx.log.warn({ reason: listed.fault, channelId: channel.row.id }, 'what may be missing cannot be asked for now')
      if (!listed.isTemporary) await lookSoon(ctx.db, channel.row)
      return 'failed'
    }
    const events = listed.slice(0, mostAtOnce)
    if (!(await ctx.takeIn(channel, events, openStaysOurs(ctx, poll)))) return 'lost'
    const last = lastTimeOf(events)
    const isAll = listed.length < mostAtOnce || last === undefined || last <= since
    const keptUntil = isAll ? Math.max(last ?? 0, startedAt - clocksApartMs) : last
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

function lastTimeOf(events: ProviderEvent[]): number | undefined {
  const times = events.flatMap((event) => ('at' in event ? event.at : []))
  return times.length === 0 ? undefined : Math.max(...times)
}
