import { limits } from '@patchbay/contract/limits.ts'
import { compilePatterns } from '../src/answers/engines/intents/read-intent.ts'
import { openEmbedder } from '../src/answers/knowledge/search/embedder.ts'
import type { AppFiles } from '../src/app/page/open-app-files.ts'
import type { RateLimiter } from '../src/business/accounts/rate-limit/rate-limit.ts'
import type { SignInThrottle } from '../src/business/sessions/throttle/sign-in-throttle.ts'
import { openBotDb } from '../src/journey/bot/bot-db.ts'
import type { Dispatcher } from '../src/outbox/dispatcher.ts'
import type { Config } from '../src/platform/config/config.ts'
import { type DatabaseAddress, type Db, openWorkDb } from '../src/platform/database/db.ts'
import { openPools } from '../src/platform/database/pools.ts'
import type { App } from '../src/platform/http-app.ts'
import { reloadOnChange, type TlsFiles, type TlsPair } from '../src/platform/https-server/certificate-files.ts'
import type { Log } from '../src/platform/log.ts'
import type { Instruments } from '../src/platform/metrics/instruments.ts'
import { openHints } from '../src/platform/notify/hints.ts'
import { type Listener, openListener } from '../src/platform/notify/listen.ts'
import { openOutbound } from '../src/platform/outbound/client.ts'
import { collectBuffers } from '../src/platform/processes/collect-buffers.ts'
import { keepOptimizedCode } from '../src/platform/processes/keep-optimized-code.ts'
import { notifyingDispatcher, startWorker, type WorkerCtx } from '../src/worker.ts'
import { openApp } from './open-app.ts'
import type { WatchPools } from './start-metrics.ts'

/** What one process needs to serve: an open database that is ready, and what it shares with other processes. */
export type Serving = {
  config: Config
  log: Log
  secretKey: Buffer
  database: { db: Db; address: DatabaseAddress }
  tls: { files: TlsFiles; pair: TlsPair; ticketKeys?: Buffer | undefined }
  /** No background work. */
  isPaused: boolean
  appFiles: AppFiles | undefined
  instruments: Instruments
  watchPools: WatchPools
  /** It may notify the other processes on the same database. */
  openLimit: (listener: Listener) => RateLimiter
  throttle: SignInThrottle
  /** The app gets connections from now on. */
  listen: (app: App) => Promise<void>
}

/** Serves requests and runs background work, as ROLE says, until `started` is disposed. `/readyz` fails after `drain`. */
export async function serve(started: AsyncDisposableStack, serving: Serving): Promise<{ drain: () => void }> {
  const { config, log, secretKey, tls, instruments, watchPools, throttle } = serving
  const { db, address } = serving.database
  const { pools, ...parts } = openShared(started, address, config, log)
  watchPools({ requests: db, ...pools.all })
  const shared = { secretKey, instruments, ...parts }
  const dispatcher =
    config.role === 'api' || serving.isPaused
      ? notifyingDispatcher(db, log)
      : startWork(started, { pool: pools.batch, address, log, config, ...shared }, watchPools)
  const take = serving.openLimit(parts.listener)
  const stopping = new AbortController()
  const { pair, ticketKeys } = tls
  const given = {
    pools,
    pair,
    dispatcher,
    stopping: stopping.signal,
    ...shared,
    files: serving.appFiles,
    take,
    throttle,
  }
  const app = await openApp(config, log, { db, ...given })
  if (ticketKeys) app.server.setTicketKeys(ticketKeys)
  started.defer(() => closeWithin(app, answeredWithinMs))
  await serving.listen(app)
  log.info({ networks: config.outboundAllowed.entries }, 'private networks that may be called')
  if (config.channelOrigins.size > 0)
    log.info({ origins: Object.fromEntries(config.channelOrigins) }, 'called in place of providers of messages')
  started.use(reloadOnChange(app.server, tls.files, log))
  started.use(collectBuffers())
  keepOptimizedCode()
  const compiling = setTimeout(compilePatterns, settledAfterMs)
  started.defer(() => clearTimeout(compiling))
  return { drain: () => stopping.abort() }
}

/** What requests and background work both use. */
function openShared(started: AsyncDisposableStack, address: DatabaseAddress, config: Config, log: Log) {
  const pools = openPools(address, log)
  started.defer(pools.end)
  const listener = openListener(address, log)
  started.defer(listener.stop)
  const { hint, close } = openHints(listener, log)
  started.defer(close)
  const outbound = openOutbound({ allowed: config.outboundAllowed })
  started.defer(outbound.close)
  const embedder = openEmbedder(log)
  started.defer(embedder.close)
  return { pools, listener, hint, outbound, embedder }
}

/** Starts the background work on connections of its own. */
function startWork(
  started: AsyncDisposableStack,
  ctx: Omit<WorkerCtx, 'db' | 'botDb'>,
  watchPools: WatchPools,
): Dispatcher {
  const db = openWorkDb(ctx.address, ctx.log)
  started.defer(() => db.destroy())
  const botDb = openBotDb(ctx.address, ctx.log)
  started.defer(() => botDb.destroy())
  watchPools({ work: db, bot: botDb })
  const worker = startWorker({ db, botDb, ...ctx })
  started.defer(worker.stop)
  return worker.dispatcher
}

/** When a server compiles what it would otherwise compile at its first message: after it has begun to serve. */
const settledAfterMs = 500

/** How long requests in flight have at shutdown; no request may take longer anyway. */
const answeredWithinMs = limits.requestMs

async function closeWithin(app: App, withinMs: number): Promise<void> {
  const timeout = setTimeout(() => app.server.closeAllConnections(), withinMs)
  await app.close()
  clearTimeout(timeout)
}
