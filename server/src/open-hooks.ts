import { openCallProvider } from './journey/channels/call.ts'
import { openChannels } from './journey/channels/open-channels.ts'
import { openReceiveFromChannel } from './journey/intake/channel-messages/receive-from-channel.ts'
import { openHookLookup } from './journey/provider-events/hook-lookup.ts'
import type { Hooks } from './journey/provider-events/hooks.ts'
import { openTakeIn } from './journey/provider-events/take-in.ts'
import type { ChannelOrigins } from './platform/config/channel-origins.ts'
import type { Db } from './platform/database/db.ts'
import type { FairShare } from './platform/database/fair-share.ts'
import type { Log } from './platform/log.ts'
import type { Instruments } from './platform/metrics/instruments.ts'
import type { Hint } from './platform/notify/hints.ts'
import type { Outbound } from './platform/outbound/client.ts'

type Ctx = Readonly<{
  db: Db
  share: FairShare
  secretKey: Buffer
  outbound: Outbound
  origins: ChannelOrigins
  hint: Hint
  log: Log
  instruments: Pick<Instruments, 'incoming'>
}>

/** What is needed to take in what providers post. */
export function openHooks(ctx: Ctx): Hooks {
  const call = openCallProvider(ctx)
  const receive = openReceiveFromChannel(ctx)
  return { find: openHookLookup(ctx.db, openChannels(ctx)), takeIn: openTakeIn({ ...ctx, receive, call }) }
}
