import type { FastifyRequest } from 'fastify'
import { agencyHandlers } from './agency/app-handlers.ts'
import { ownCreditsHandlers } from './agency/own-credits-handlers.ts'
import { alertHandlers } from './alerts/app-handlers.ts'
import { accountHandlers } from './app-api/account-handlers.ts'
import { openSessionGuard } from './app-api/guard.ts'
import { registerAppRoutes } from './app-api/register.ts'
import { sessionHandlers } from './app-api/session-handlers.ts'
import { openSigningInLookup } from './app-api/session-lookup.ts'
import type { SignInThrottle } from './app-api/throttle/sign-in-throttle.ts'
import { broadcastHandlers } from './broadcasts/app-handlers.ts'
import { callHandlers } from './calls/app-handlers.ts'
import { contactHandlers } from './contacts/app-handlers.ts'
import { alertWebhookHandlers, rechargeWebhookHandlers, webhookHandlers } from './delivery/app-handlers.ts'
import { alertLogHandlers } from './delivery/log/alert-handlers.ts'
import { deliveryLogHandlers } from './delivery/log/app-handlers.ts'
import { rechargeLogHandlers } from './delivery/log/recharge-handlers.ts'
import { firstRunHandlers } from './first-run/app-handlers.ts'
import { importHandlers } from './imports/app-handlers.ts'
import { inboxHandlers } from './inbox/app-handlers.ts'
import { eraseHandler } from './inbox/erase-handler.ts'
import { searchHandlers } from './inbox/search-handlers.ts'
import { teamworkHandlers } from './inbox/teamwork/app-handlers.ts'
import type { Receive } from './intake/receive.ts'
import type { Embedder } from './knowledge/search/embedder.ts'
import { listHandlers } from './lists/app-handlers.ts'
import { mediaHandlers } from './media/app-handlers.ts'
import type { Send } from './messages/send.ts'
import type { Dispatcher } from './outbox/dispatcher.ts'
import type { Config } from './platform/config/config.ts'
import type { Db } from './platform/database/db.ts'
import { type FairShare, openFairShare } from './platform/database/fair-share.ts'
import type { Pools } from './platform/database/pools.ts'
import { readAppOpenApi, readOpenApi } from './platform/http/openapi.ts'
import { sendCertificate } from './platform/http/send-certificate.ts'
import type { App } from './platform/http-app.ts'
import { clientAddress } from './platform/https-server/client-address.ts'
import type { Log } from './platform/log.ts'
import type { Outbound } from './platform/outbound/client.ts'
import { liveHandlers } from './realtime/app-handlers.ts'
import type { Streams } from './realtime/streams.ts'
import { reportHandlers } from './reports/read/app-handlers.ts'
import { retentionHandlers } from './retention/app-handlers.ts'
import { simulatorHandlers } from './simulator/app-handlers.ts'
import { testChatHandlers } from './teaching/app-handlers.ts'
import { campaignHandlers } from './teaching/campaign-handlers.ts'
import { connectionHandlers, type TryModel } from './teaching/connection-handlers.ts'
import { knowledgeHandlers } from './teaching/knowledge-handlers.ts'
import { teamHandlers } from './team/app-handlers.ts'
import { auditHandlers } from './team/audit-handlers.ts'
import { openLinkLookup } from './team/link-lookup.ts'
import type { Hint } from './work/hints.ts'

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
  streams: Streams
  hint: Hint
  throttle: SignInThrottle
  embedder: Embedder
  log: Log
}>

/** Imported when it is needed: it takes half a second and 40 MB that most installations never need. */
const tryModel: TryModel = async (...asked) => (await import('./engines/models/try-model.ts')).tryModel(...asked)

/**
 * For requests of those who have not shown yet who they are, while something is looked up for them: six of one client
 * address, sixteen in all. Clients take turns; a client of whom more than so many wait is refused as busy.
 */
const placesOfStrangers = { slots: 16, mostWaiting: 32, longestWaitMs: 5_000 }

/** Adds every route of the app's own API, in the order of the contract. */
export function addAppRoutes(app: App, ctx: AppCtx): void {
  const { db, pools, share, secretKey, config, send, streams, hint, throttle, log } = ctx
  const maxAttempts = config.delivery.retrySeconds.length + 1
  const addressOf = (http: FastifyRequest) => clientAddress(http.raw, config.trustedProxies)
  const strangers = openFairShare(placesOfStrangers)
  const signingIn = { db, config, share, strangers, throttle, hint, findSigningIn: openSigningInLookup(pools.sessions) }
  registerAppRoutes(
    app,
    { checkSession: openSessionGuard(pools.sessions, log), share, hint, addressOf },
    {
      ...sessionHandlers(signingIn),
      ...teamHandlers({ ...signingIn, findLink: openLinkLookup(pools.sessions, strangers) }),
      ...auditHandlers(db),
      ...agencyHandlers(ctx),
      ...ownCreditsHandlers(db),
      ...liveHandlers(streams),
      ...accountHandlers({ db, rateLimitPerMinute: config.rateLimitPerMinute, throttle }),
      ...retentionHandlers({ db, keepDays: config.keepDays }),
      ...webhookHandlers(ctx),
      ...rechargeWebhookHandlers(ctx),
      ...alertHandlers(db),
      ...alertWebhookHandlers(ctx),
      ...alertLogHandlers({ ...ctx, maxAttempts }),
      ...deliveryLogHandlers({ ...ctx, maxAttempts }),
      ...rechargeLogHandlers({ ...ctx, maxAttempts }),
      ...firstRunHandlers({ db }),
      ...simulatorHandlers({ ...ctx, wakeDelivery: ctx.dispatcher.wake }),
      ...inboxHandlers({ db, secretKey, config, wakeDelivery: send.wake }),
      ...teamworkHandlers(db),
      ...searchHandlers(db),
      ...contactHandlers(ctx),
      ...importHandlers(ctx),
      ...eraseHandler(ctx),
      ...listHandlers(ctx),
      ...broadcastHandlers(ctx),
      ...campaignHandlers(ctx),
      ...knowledgeHandlers(db),
      ...connectionHandlers({ ...ctx, tryModel }),
      ...testChatHandlers(ctx),
      ...reportHandlers(db),
      ...callHandlers(db),
      ...mediaHandlers({ db, share }),
      'GET /api/openapi.json': readAppOpenApi,
      'GET /api/reference': async () => readOpenApi(config.publicUrl),
      'GET /api/certificate': ({ reply }) => sendCertificate(reply, config),
    },
  )
}
