import { channelRoutes } from '@patchbay/contract/app/channels.ts'
import type { FastifyRequest } from 'fastify'
import { campaignHandlers } from './answers/campaigns/app-handlers.ts'
import { knowledgeHandlers } from './answers/knowledge/app-handlers.ts'
import type { Embedder } from './answers/knowledge/search/embedder.ts'
import { connectionHandlers, type TryModel } from './answers/model-providers/app-handlers.ts'
import { agencyHandlers } from './app/agency/app-handlers.ts'
import { ownCreditsHandlers } from './app/agency/own-credits-handlers.ts'
import { alertHandlers } from './app/alerts/app-handlers.ts'
import { firstRunHandlers } from './app/first-run/app-handlers.ts'
import { inboxHandlers } from './app/inbox/app-handlers.ts'
import { searchHandlers } from './app/inbox/search-handlers.ts'
import { teamworkHandlers } from './app/inbox/teamwork/app-handlers.ts'
import { visitorHandlers } from './app/inbox/teamwork/visitor-handlers.ts'
import { writeHandlers } from './app/inbox/write-handlers.ts'
import { liveHandlers } from './app/live/app-handlers.ts'
import type { Streams } from './app/live/streams.ts'
import { eraseHandler } from './app/removal/erasure/erase-handler.ts'
import { retentionHandlers } from './app/removal/retention/app-handlers.ts'
import { reportHandlers } from './app/reports/read/app-handlers.ts'
import { simulatorHandlers } from './app/simulator/app-handlers.ts'
import { callHandlers } from './business/request-log/app-handlers.ts'
import { accountHandlers } from './business/sessions/account-handlers.ts'
import { openSessionGuard } from './business/sessions/guard.ts'
import { lazyHandlers } from './business/sessions/lazy-handlers.ts'
import { registerAppRoutes } from './business/sessions/register.ts'
import { sessionHandlers } from './business/sessions/session-handlers.ts'
import { openSigningInLookup } from './business/sessions/session-lookup.ts'
import type { SignInThrottle } from './business/sessions/throttle/sign-in-throttle.ts'
import { teamHandlers } from './business/team/app-handlers.ts'
import { auditHandlers } from './business/team/audit-handlers.ts'
import { openLinkLookup } from './business/team/link-lookup.ts'
import { testChatHandlers } from './journey/bot/test-chat/app-handlers.ts'
import { broadcastHandlers } from './journey/broadcasts/app-handlers.ts'
import { alertWebhookHandlers, rechargeWebhookHandlers, webhookHandlers } from './journey/delivery/app-handlers.ts'
import { deliveryLogHandlers } from './journey/delivery/log/app-handlers.ts'
import { alertLogHandlers, rechargeLogHandlers } from './journey/delivery/log/event-handlers.ts'
import type { Receive } from './journey/intake/receive.ts'
import { mediaHandlers } from './journey/media/app-handlers.ts'
import type { Send } from './journey/messages/send.ts'
import type { Dispatcher } from './outbox/dispatcher.ts'
import { contactHandlers } from './people/contacts/app-handlers.ts'
import { importHandlers } from './people/imports/app-handlers.ts'
import { listHandlers } from './people/lists/app-handlers.ts'
import type { Config } from './platform/config/config.ts'
import type { Db } from './platform/database/db.ts'
import { type FairShare, openFairShare } from './platform/database/fair-share.ts'
import type { Pools } from './platform/database/pools.ts'
import { readAppOpenApi, readOpenApi } from './platform/http/openapi.ts'
import { sendCertificate } from './platform/http/send-certificate.ts'
import type { App } from './platform/http-app.ts'
import { clientAddress } from './platform/https-server/client-address.ts'
import type { Log } from './platform/log.ts'
import type { Hint } from './platform/notify/hints.ts'
import type { Outbound } from './platform/outbound/client.ts'

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

/** Imports the code when it is needed: it takes half a second and 40 MB that most installations never need. */
const tryModel: TryModel = async (...asked) =>
  (await import('./answers/engines/models/try-model.ts')).tryModel(...asked)

/** Nothing about channels is loaded before somebody asks for them. */
const namesOfChannelRoutes = Object.keys(channelRoutes) as (keyof typeof channelRoutes)[]

/**
 * The slots for requests of those who have not shown yet who they are, while something is looked up for them: six of
 * one client address, sixteen in all. Clients take turns; a client of whom more than so many wait is refused as busy.
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
      ...writeHandlers({ db, config, wakeDelivery: send.wake, hint }),
      ...inboxHandlers({ db, secretKey, config, wakeDelivery: send.wake }),
      ...visitorHandlers(ctx),
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
      ...lazyHandlers(namesOfChannelRoutes, async () =>
        (await import('./channel-app-handlers.ts')).openChannelHandlers(ctx),
      ),
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
