import type { Embedder } from '../src/answers/knowledge/search/embedder.ts'
import { addApiRoutes } from '../src/api-handlers.ts'
import { openStreams } from '../src/app/live/streams.ts'
import type { AppFiles } from '../src/app/page/open-app-files.ts'
import { answerPages, serveApp } from '../src/app/page/serve-app.ts'
import { addWebsiteChat } from '../src/app/website-chat/routes.ts'
import { addAppRoutes } from '../src/app-handlers.ts'
import { knownCallerOf, openGuards } from '../src/business/accounts/guard.ts'
import { openRateLimiter, type RateLimiter } from '../src/business/accounts/rate-limit/rate-limit.ts'
import { openGrant } from '../src/business/credits/grant.ts'
import { type CallLog, openCallLog } from '../src/business/request-log/request-log.ts'
import { knownAccountOf } from '../src/business/sessions/guard.ts'
import { openSignInThrottle, type SignInThrottle } from '../src/business/sessions/throttle/sign-in-throttle.ts'
import { openReceive } from '../src/journey/intake/receive.ts'
import { openSend } from '../src/journey/messages/send.ts'
import { addHooks } from '../src/journey/provider-events/hooks.ts'
import type { openHooks } from '../src/open-hooks.ts'
import type { Dispatcher } from '../src/outbox/dispatcher.ts'
import { openKnownContacts } from '../src/people/contacts/known-contacts.ts'
import type { Config } from '../src/platform/config/config.ts'
import { type Db, requestConnections } from '../src/platform/database/db.ts'
import { type FairShare, openFairShare } from '../src/platform/database/fair-share.ts'
import { plannedDb } from '../src/platform/database/planned-db.ts'
import type { Pools } from '../src/platform/database/pools.ts'
import { browserHeaders } from '../src/platform/http/browser-headers.ts'
import { createApp } from '../src/platform/http/create-app.ts'
import { healthRoutes } from '../src/platform/http/health.ts'
import type { App } from '../src/platform/http-app.ts'
import type { TlsPair } from '../src/platform/https-server/certificate-files.ts'
import { loggedAddress } from '../src/platform/https-server/client-address.ts'
import { endKeepAlive } from '../src/platform/https-server/end-keep-alive.ts'
import { createHttpsServer } from '../src/platform/https-server/https-server.ts'
import { loadOnce } from '../src/platform/load-once.ts'
import type { Log } from '../src/platform/log.ts'
import type { Instruments } from '../src/platform/metrics/instruments.ts'
import type { Hint } from '../src/platform/notify/hints.ts'
import type { Listener } from '../src/platform/notify/listen.ts'
import type { Outbound } from '../src/platform/outbound/client.ts'

type AppDependencies = {
  db: Db
  /** Aborted when the server is about to stop. */
  stopping?: AbortSignal
  pools: Pools
  pair: TlsPair
  dispatcher: Dispatcher
  outbound: Outbound
  secretKey: Buffer
  listener: Listener
  hint: Hint
  instruments: Instruments
  embedder: Embedder
  files?: AppFiles | undefined
  /** Counted in this process where they are not given. */
  take?: RateLimiter
  throttle?: SignInThrottle
  calls?: CallLog
}

/** The HTTP app on an open database, not yet listening. A worker serves only the health routes. */
export async function openApp(
  config: Config,
  log: Log,
  {
    db,
    stopping,
    pools,
    pair,
    dispatcher,
    outbound,
    secretKey,
    listener,
    hint,
    instruments,
    embedder,
    files,
    take = openRateLimiter(config.rateLimitPerMinute),
    throttle = openSignInThrottle(),
    calls = openCallLog({ db, hint, log }),
  }: AppDependencies,
): Promise<App> {
  const serve: Parameters<typeof createApp>[1] = (handler) => createHttpsServer(pair, config, handler)
  const app = createApp(log, serve, {
    answerUnknown: files && answerPages(files),
    headersOf: browserHeaders(config),
    meter: instruments.requests,
    senderOf: (request) => ({
      accountId: knownCallerOf(request)?.accountId ?? knownAccountOf(request),
      client: loggedAddress(request.raw, config.trustedProxies),
    }),
  })
  healthRoutes(app, db, { stopping, dataDir: config.databaseUrl === undefined ? config.dataDir : undefined })
  stopping?.addEventListener('abort', () => endKeepAlive(app.server))
  if (config.role !== 'worker') {
    const guards = openGuards(pools.keys, take)
    const share = openRequestShare(instruments)
    const { outgoing, grants } = instruments.commits
    const known = openKnownContacts()
    const receive = openReceive({ db, share, pools, hint, known, instruments })
    const send = openSend({ pools, dispatcher, hint, known, meter: outgoing })
    const operations = { receive, send, grant: openGrant(pools, grants), hint }
    const streams = openStreams({ db, listener, log })
    app.addHook('preClose', async () => streams.end()) // closing waits for open responses
    app.addHook('onResponse', (request, reply, done) => {
      calls.note(request, reply)
      done()
    })
    app.addHook('onClose', calls.flush)
    const hookParts = { db, share, secretKey, outbound, origins: config.channelOrigins, hint, log, instruments }
    addHooks(app, { load: loadHooks(hookParts), publicUrl: config.publicUrl, log })
    addApiRoutes(app, { guards, db, share, secretKey, ...operations, publicUrl: config.publicUrl })
    const chatParts = {
      ...{ ...hookParts, live: streams, proxies: config.trustedProxies, mostStreams: config.chatStreams },
      findBuilds: () => findBuilds(files),
      looksDb: plannedDb(pools.chats),
    }
    addWebsiteChat(app, {
      load: async () => (await import('../src/open-website-chat.ts')).openWebsiteChats(chatParts),
      log,
    })
    if (files) await serveApp(app, files)
    addAppRoutes(app, {
      db,
      pools,
      share,
      secretKey,
      config,
      outbound,
      dispatcher,
      streams,
      throttle,
      embedder,
      log,
      ...operations,
    })
  }
  await app.ready()
  return app
}

const loadHooks = (parts: Parameters<typeof openHooks>[0]) =>
  loadOnce(async () => (await import('../src/open-hooks.ts')).openHooks(parts))

/** Shops' pages have a chat also where the app is not shown. */
async function findBuilds(files: AppFiles | undefined): Promise<readonly string[]> {
  return files && 'roots' in files ? files.roots : (await import('../src/app/page/build-app.ts')).findBuilds()
}

/** As many slots as the request pool has connections, so that a started request never waits for a connection. */
function openRequestShare({ waitingForConnection: meter }: Instruments): FairShare {
  return openFairShare({ slots: requestConnections, mostWaiting: 500, longestWaitMs: 5_000, meter })
}
