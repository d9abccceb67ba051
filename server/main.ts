import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@patchbay/contract/limits.ts'
import { type FirstStart, type Migrated, prepareDatabase } from './first-start.ts'
import { openApp } from './open-app.ts'
import type { AppFiles } from './src/app-files/open-app-files.ts'
import { compilePatterns } from './src/engines/intents/read-intent.ts'
import { openEmbedder } from './src/knowledge/search/embedder.ts'
import type { Dispatcher } from './src/outbox/dispatcher.ts'
import { readWorkPause } from './src/platform/backup/installation.ts'
import { type Config, publicUrlAt } from './src/platform/config/config.ts'
import { type DatabaseAddress, type Db, openDbForLongStatements, openWorkDb } from './src/platform/database/db.ts'
import { openPools } from './src/platform/database/pools.ts'
import { retryOnLostConnection } from './src/platform/database/retry-on-lost-connection.ts'
import { openForServer } from './src/platform/database-setup/open-database.ts'
import type { App } from './src/platform/http-app.ts'
import { readPair, reloadOnChange, tlsFiles, warnIfExpired } from './src/platform/https-server/certificate-files.ts'
import { reservePort } from './src/platform/https-server/reserve-port.ts'
import type { Log } from './src/platform/log.ts'
import { openInstruments } from './src/platform/metrics/instruments.ts'
import type { OperatorError } from './src/platform/operator-error.ts'
import { openOutbound } from './src/platform/outbound/client.ts'
import { readSecretKey } from './src/platform/secrets/secret-key.ts'
import { openHints } from './src/work/hints.ts'
import { openListener } from './src/work/listen.ts'
import { notifyingDispatcher, startWorker, type WorkerCtx } from './src/worker.ts'
import { type Metrics, startMetrics } from './start-metrics.ts'

export type RunningServer = {
  port: number
  certificateFile: string
  firstStart: FirstStart | undefined
  /** `/readyz` fails from now on; returns when proxies have had the time to notice. */
  drain: () => Promise<void>
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

  const { pools, ...parts } = openShared(started, address, config, log)
  started.use(metrics.watchDatabase(address, { requests: db, ...pools.all }))
  const shared = { secretKey, instruments, ...parts }
  const dispatcher =
    config.role === 'api' || (await isPaused(db, log))
      ? notifyingDispatcher(db, log)
      : startWork(started, { pool: pools.batch, address, log, config, ...shared }, metrics)
  const stopping = new AbortController()
  const serving = { pools, pair, dispatcher, stopping: stopping.signal, ...shared, files: await filesOpened }
  const app = await openApp(config, log, { db, ...serving })
  started.defer(() => closeWithin(app, answeredWithinMs))
  await reserved.handOverTo(app)
  log.info({ networks: config.outboundAllowed.entries }, 'private networks that may be called')
  started.use(reloadOnChange(app.server, files, log))
  const compiling = setTimeout(compilePatterns, settledAfterMs)
  started.defer(() => clearTimeout(compiling))

  const running = started.move()
  return {
    port,
    certificateFile: files.cert,
    firstStart,
    drain: () => {
      stopping.abort()
      return sleep(config.drainSeconds * 1_000)
    },
    stop: () => running.disposeAsync(),
    failed: database.failed,
  }
}

/** What requests and background work both use. */
function openShared(started: AsyncDisposableStack, address: DatabaseAddress, config: Config, log: Log) {
  const pools = openPools(address, log)
  started.defer(pools.end)
  const listener = openListener(address, log)
  started.defer(listener.stop)
  const { hint, flush } = openHints(listener, log)
  started.defer(flush)
  const outbound = openOutbound({ allowed: config.outboundAllowed })
  started.defer(outbound.close)
  const embedder = openEmbedder(log)
  started.defer(embedder.close)
  return { pools, listener, hint, outbound, embedder }
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

/** How long requests in flight have at shutdown; no request may take longer anyway. */
const answeredWithinMs = limits.requestMs

async function closeWithin(app: App, withinMs: number): Promise<void> {
  const timeout = setTimeout(() => app.server.closeAllConnections(), withinMs)
  await app.close()
  clearTimeout(timeout)
}
