import { limits } from '@patchbay/contract/limits.ts'
import { type FirstStart, type Migrated, prepareDatabase } from './first-start.ts'
import { knownCallerOf, openGuards } from './src/accounts/guard.ts'
import { addRoutes } from './src/api.ts'
import { knownAccountOf } from './src/app-api/guard.ts'
import type { AppFiles } from './src/app-files/open-app-files.ts'
import { answerPages, serveApp } from './src/app-files/serve-app.ts'
import { addAppRoutes } from './src/app-handlers.ts'
import { openCallLog } from './src/calls/call-log.ts'
import { openGrant } from './src/credits/grant.ts'
import { compilePatterns } from './src/engines/intents/read-intent.ts'
import { openReceive } from './src/intake/receive.ts'
import { type Embedder, openEmbedder } from './src/knowledge/search/embedder.ts'
import { openSend } from './src/messages/send.ts'
import type { Dispatcher } from './src/outbox/dispatcher.ts'
import { readWorkPause } from './src/platform/backup/installation.ts'
import { type Config, publicUrlAt } from './src/platform/config/config.ts'
import {
  type DatabaseAddress,
  type Db,
  openDbForLongStatements,
  openWorkDb,
  requestConnections,
} from './src/platform/database/db.ts'
import { type FairShare, openFairShare } from './src/platform/database/fair-share.ts'
import { openPools, type Pools } from './src/platform/database/pools.ts'
import { retryOnLostConnection } from './src/platform/database/retry-on-lost-connection.ts'
import { openForServer } from './src/platform/database-setup/open-database.ts'
import { browserHeaders } from './src/platform/http/browser-headers.ts'
import { createApp } from './src/platform/http/create-app.ts'
import { healthRoutes } from './src/platform/http/health.ts'
import type { App } from './src/platform/http-app.ts'
import {
  readPair,
  reloadOnChange,
  type TlsPair,
  tlsFiles,
  warnIfExpired,
} from './src/platform/https-server/certificate-files.ts'
import { loggedAddress } from './src/platform/https-server/client-address.ts'
import { createHttpsServer } from './src/platform/https-server/https-server.ts'
import { reservePort } from './src/platform/https-server/reserve-port.ts'
import type { Log } from './src/platform/log.ts'
import { type Instruments, openInstruments } from './src/platform/metrics/instruments.ts'
import type { OperatorError } from './src/platform/operator-error.ts'
import { type Outbound, openOutbound } from './src/platform/outbound/client.ts'
import { readSecretKey } from './src/platform/secrets/secret-key.ts'
import { openStreams } from './src/realtime/streams.ts'
import { type Hint, openHints } from './src/work/hints.ts'
import { type Listener, openListener } from './src/work/listen.ts'
import { notifyingDispatcher, startWorker, type WorkerCtx } from './src/worker.ts'
import { type Metrics, startMetrics } from './start-metrics.ts'

export type RunningServer = {
  port: number
  certificateFile: string
  firstStart: FirstStart | undefined
  /** Answers the requests in flight, then closes everything in reverse order. */
  stop: () => Promise<void>
  /** Resolves when the server must stop because of an error. */
  failed: Promise<OperatorError>
}

/** What the first start has created, before it is committed. */
export type Made = { port: number; certificateFile: string; firstStart: FirstStart }

export type Opening = {
  /** Saves the credentials of the first start: if it fails, nothing is committed. */
  keep: (made: Made) => Promise<void>
  /** Makes the build of the web app, if it is not there. */
  openFiles: () => Promise<AppFiles>
}

/** Starts everything; when a step fails, what was started before it is stopped again. */
export async function startServer(given: Config, log: Log, { keep, openFiles }: Opening): Promise<RunningServer> {
  await using started = new AsyncDisposableStack()
  const secretKey = await readSecretKey(given)
  const files = await tlsFiles(given)
  const pair = await readPair(files)
  warnIfExpired(pair, files, log)
  const reserved = started.use(await reservePort(given))
  const { port } = reserved
  const instruments = openInstruments()
  const metrics = started.use(await startMetrics(given, log, instruments))
  const config = { ...given, publicUrl: publicUrlAt(given, port) }
  const filesOpened = config.servesApp ? openFiles() : undefined // builds while the database starts

  const database = await openForServer(config, log)
  started.defer(database.close)
  const { db, address } = database
  const firstStart = await prepare(address, config, {
    log,
    secretKey,
    keep: (made) => keep({ port, certificateFile: files.cert, firstStart: made }),
  })

  const pools = openPools(address, log)
  started.defer(pools.end)
  started.use(metrics.watchDatabase(address, { requests: db, ...pools.all }))
  const listener = openListener(address, log)
  started.defer(listener.stop)
  const { hint, flush } = openHints(listener, log)
  started.defer(flush)
  const outbound = openOutbound({ allowed: config.outboundAllowed })
  started.defer(outbound.close)
  const embedder = openEmbedder(log)
  started.defer(embedder.close)
  const shared = { outbound, secretKey, listener, hint, instruments, embedder }
  const dispatcher =
    config.role === 'api' || (await isPaused(db, log))
      ? notifyingDispatcher(db, log)
      : startWork(started, { pool: pools.batch, address, log, config, ...shared }, metrics)
  const app = await openApp(config, log, { db, pools, pair, dispatcher, ...shared, files: await filesOpened })
  started.defer(() => closeWithin(app, answeredWithinMs))
  await reserved.handOverTo(app)
  log.info({ networks: config.outboundAllowed.entries }, 'private networks that may be called')
  const renewal = reloadOnChange(app.server, files, log)
  started.defer(() => renewal[Symbol.dispose]())

  const compiling = setTimeout(compilePatterns, settledAfterMs)
  started.defer(() => clearTimeout(compiling))

  const running = started.move()
  return { port, certificateFile: files.cert, firstStart, stop: () => running.disposeAsync(), failed: database.failed }
}

/** Starts the background work on connections of its own. */
function startWork(started: AsyncDisposableStack, ctx: Omit<WorkerCtx, 'db'>, metrics: Metrics): Dispatcher {
  const db = openWorkDb(ctx.address, ctx.log)
  started.defer(() => db.destroy())
  metrics.watchPools({ work: db })
  const worker = startWorker({ db, ...ctx })
  started.defer(worker.stop)
  return worker.dispatcher
}

/** Whether this is a restored copy that was told to do no background work. */
async function isPaused(db: Db, log: Log): Promise<boolean> {
  const pausedAt = await readWorkPause(db)
  if (pausedAt)
    log.warn({ pausedAt }, 'this restored copy is paused and sends nothing; to end that: npx patchbay resume')
  return pausedAt !== null
}

/** When a server compiles what it would otherwise compile at its first message: after it has begun to serve. */
const settledAfterMs = 500

/** How long to retry when the connection is lost during preparation. */
const databaseBackWithinMs = 30_000

/** No response timeout: migrations take as long as there is data to move. */
async function prepare(
  address: DatabaseAddress,
  config: Config,
  { log, secretKey, keep }: { log: Log; secretKey: Buffer; keep: (made: FirstStart) => Promise<void> },
): Promise<FirstStart | undefined> {
  await using db = openDbForLongStatements(address, log)
  const onMigrated = (migrated: Migrated) => log.info(migrated, 'the schema was migrated')
  const onWait = (reason: string) => log.warn({ reason }, 'waiting to start')
  // Of two containers on one volume, the refused one stops the database if it was the one that had started it.
  return await retryOnLostConnection(
    () => prepareDatabase(db, config, secretKey, { keep, onWait, onMigrated }),
    databaseBackWithinMs,
  )
}

type AppDependencies = {
  db: Db
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
}

/** The HTTP app on an open database, not yet listening. A worker serves only the health routes. */
export async function openApp(
  config: Config,
  log: Log,
  { db, pools, pair, dispatcher, outbound, secretKey, listener, hint, instruments, embedder, files }: AppDependencies,
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
  healthRoutes(app, db)
  if (config.role !== 'worker') {
    const guards = openGuards(pools.keys, config.rateLimitPerMinute)
    const share = openRequestShare(instruments)
    const { outgoing, grants } = instruments.commits
    const receive = openReceive({ db, share, pools, hint, instruments })
    const send = openSend(pools, dispatcher, hint, outgoing)
    const operations = { receive, send, grant: openGrant(pools, grants), hint }
    const streams = openStreams({ db, listener, log })
    app.addHook('preClose', async () => streams.end()) // closing waits for open responses
    const calls = openCallLog({ db, hint, log })
    app.addHook('onResponse', (request, reply, done) => {
      calls.note(request, reply)
      done()
    })
    app.addHook('onClose', calls.flush)
    await addRoutes(app, { db, share, secretKey, ...guards, ...operations, publicUrl: config.publicUrl })
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
      embedder,
      log,
      ...operations,
    })
  }
  await app.ready()
  return app
}

/** As many slots as the request pool has connections, so that a started request never waits for a connection. */
function openRequestShare({ waitingForConnection: meter }: Instruments): FairShare {
  return openFairShare({ slots: requestConnections, mostWaiting: 500, longestWaitMs: 5_000, meter })
}

/** How long requests in flight have at shutdown; no request may take longer anyway. */
const answeredWithinMs = limits.requestMs

async function closeWithin(app: App, withinMs: number): Promise<void> {
  const timeout = setTimeout(() => app.server.closeAllConnections(), withinMs)
  await app.close()
  clearTimeout(timeout)
}
