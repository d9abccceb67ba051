import { openCallProvider } from './journey/channels/call.ts'
import { openChannels } from './journey/channels/open-channels.ts'
import { startCheckingChannels } from './journey/channels/stage.ts'
import { openReceiveFromChannel } from './journey/intake/channel-messages/receive-from-channel.ts'
import { startTryingParked } from './journey/provider-events/parked/stage.ts'
import { startPollingChannels } from './journey/provider-events/poll/stage.ts'
import { openTakeIn } from './journey/provider-events/take-in.ts'
import type { ChannelOrigins } from './platform/config/channel-origins.ts'
import type { Db } from './platform/database/db.ts'
import { openFairShare } from './platform/database/fair-share.ts'
import type { IsDue } from './platform/jobs/polling.ts'
import type { Log } from './platform/log.ts'
import type { Instruments } from './platform/metrics/instruments.ts'
import type { Hint } from './platform/notify/hints.ts'
import type { Outbound } from './platform/outbound/client.ts'

type Ctx = Readonly<{
  db: Db
  secretKey: Buffer
  outbound: Outbound
  origins: ChannelOrigins
  publicUrl: string | undefined
  ownUrl: string
  hint: Hint
  log: Log
  instruments: Pick<Instruments, 'incoming'>
  due: Record<'channelChecks' | 'channelPolls' | 'parkedReceipts', IsDue>
}>

/** Of those that the connections for background work leave. An account that waits for long tries again: nothing is confirmed before. */
const writes = { slots: 8, mostWaiting: 400, longestWaitMs: 20_000 }

/** Starts what channels need in the background: looking at them, fetching from those that are not called, and receipts that came early. */
export function startChannels(
  ctx: Ctx,
  polling?: Parameters<typeof startPollingChannels>[1],
): { stop: () => Promise<void> } {
  const { db, hint, log, due } = ctx
  const call = openCallProvider(ctx)
  const receive = openReceiveFromChannel({ ...ctx, share: openFairShare(writes) })
  const takeIn = openTakeIn({ db, receive, call, hint, log })
  const checks = startCheckingChannels({ ...ctx, call, isDue: due.channelChecks })
  const channels = openChannels(ctx)
  const polls = startPollingChannels({ db, call, takeIn, hint, log, channels, isDue: due.channelPolls }, polling)
  const parked = startTryingParked({ db, hint, log, isDue: due.parkedReceipts })
  return {
    stop: async () => {
      await Promise.all([checks.stop(), polls.stop(), parked.stop()])
    },
  }
}
