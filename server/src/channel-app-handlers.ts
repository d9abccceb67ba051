import type { channelRoutes } from '@patchbay/contract/app/channels.ts'
import { readToday } from './app/reports/read/today-store.ts'
import type { Handlers } from './business/sessions/handlers.ts'
import { haltRestored } from './journey/broadcasts/halt-restored.ts'
import { channelHandlers } from './journey/channels/app-handlers.ts'
import { openCallProvider } from './journey/channels/call.ts'
import { oweAfterPause } from './journey/conversations/after-pause-store.ts'
import { channelLogHandlers } from './journey/delivery/log/channel-handlers.ts'
import { providerEventHandlers } from './journey/provider-events/app-handlers.ts'
import { giveToPeople } from './journey/provider-events/give-to-people.ts'
import { type Config, givenPublicUrl } from './platform/config/config.ts'
import type { Db } from './platform/database/db.ts'
import type { Log } from './platform/log.ts'
import type { Hint } from './platform/notify/hints.ts'
import type { Outbound } from './platform/outbound/client.ts'

type Ctx = Readonly<{ db: Db; secretKey: Buffer; config: Config; outbound: Outbound; hint: Hint; log: Log }>

/** Every handler of the app's own API that is about built-in channels. */
export function openChannelHandlers(ctx: Ctx): Pick<Handlers, keyof typeof channelRoutes> {
  const { db, config } = ctx
  const origins = config.channelOrigins
  const call = openCallProvider({ ...ctx, origins })
  const publicUrl = givenPublicUrl(config)
  return {
    ...channelHandlers({
      ...ctx,
      call,
      publicUrl,
      ownUrl: config.publicUrl,
      origins,
      giveToPeople,
      haltRestored,
      oweAfterPause,
      readToday: (id) => readToday(db, id),
    }),
    ...channelLogHandlers({ db, maxAttempts: config.delivery.retrySeconds.length + 1 }),
    ...providerEventHandlers({ db }),
  }
}
