import { accountHandlers } from './app-api/account-handlers.ts'
import { openSessionGuard } from './app-api/guard.ts'
import { registerAppRoutes } from './app-api/register.ts'
import { sessionHandlers } from './app-api/session-handlers.ts'
import type { Receive } from './intake/receive.ts'
import type { Send } from './messages/send.ts'
import type { Dispatcher } from './outbox/dispatcher.ts'
import type { Config } from './platform/config/config.ts'
import type { Db } from './platform/database/db.ts'
import type { FairShare } from './platform/database/fair-share.ts'
import type { Pools } from './platform/database/pools.ts'
import type { App } from './platform/http-app.ts'
import type { Outbound } from './platform/outbound/client.ts'
import { simulatorHandlers } from './simulator/app-handlers.ts'

/** The dependencies of the app's own API. */
export type AppCtx = Readonly<{
  db: Db
  pools: Pools
  share: FairShare
  secretKey: Buffer
  config: Config
  outbound: Outbound
  dispatcher: Dispatcher
  receive: Receive
  send: Send
}>

/** Adds every route of the app's own API, in the order of the contract. */
export function addAppRoutes(app: App, ctx: AppCtx): void {
  const { db, pools, share, config } = ctx
  registerAppRoutes(
    app,
    { checkSession: openSessionGuard(pools.keys), share },
    {
      ...sessionHandlers({ db, config }),
      ...simulatorHandlers({ ...ctx, wakeDelivery: ctx.dispatcher.wake }),
      ...accountHandlers({ db, rateLimitPerMinute: config.rateLimitPerMinute }),
    },
  )
}
