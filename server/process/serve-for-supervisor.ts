import { type AskedAttempt, askThrottle } from '../src/business/sessions/throttle/asked-throttle.ts'
import type { AttemptResult } from '../src/business/sessions/throttle/sign-in-throttle.ts'
import { type Config, readConfig } from '../src/platform/config/config.ts'
import { addressOfHost } from '../src/platform/database/address.ts'
import { openDb } from '../src/platform/database/db.ts'
import { type OpenDatabase, openForServer } from '../src/platform/database-setup/open-database.ts'
import { stopAbandoned } from '../src/platform/database-setup/stop-embedded.ts'
import { readPair } from '../src/platform/https-server/certificate-files.ts'
import { serveHandedOver } from '../src/platform/https-server/handed-over-port.ts'
import { type Log, openLog } from '../src/platform/log.ts'
import { type Instruments, openInstruments } from '../src/platform/metrics/instruments.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { openPeer, type Peer } from '../src/platform/processes/peer.ts'
import { readSecretKey } from '../src/platform/secrets/secret-key.ts'
import { openSharedRateLimit } from './open-shared-rate-limit.ts'
import { type Serving, serve } from './serve.ts'
import { reportMetrics } from './start-metrics.ts'
import type { Brief } from './supervise.ts'

/** A supervisor answers at once; it hangs or is gone if it does not. */
const answersWithinMs = 2_000

/** Without its supervisor a process has so long to finish: another version may be about to change the schema. */
const abandonedForMs = 5_000

/** Serves until the supervisor says so, or is gone. */
export async function serveForSupervisor(): Promise<void> {
  const peer = openPeer(process)
  const asked = Promise.withResolvers<'told to stop' | 'abandoned'>()
  peer.on('stop', () => asked.resolve('told to stop'))
  process.once('disconnect', () => asked.resolve('abandoned'))
  const brief = await peer.ask<Brief>('brief', undefined, 60_000)
  const config = { ...readConfig(), publicUrl: brief.publicUrl }
  const instruments = openInstruments()
  const { log, flush } = openLog(config.logLevel, {
    format: config.logFormat,
    number: brief.index,
    lines: instruments.logLines,
  })
  await using started = new AsyncDisposableStack()
  try {
    const database = await openDatabase(brief, config, log)
    started.defer(database.close)
    const starting = startServing(started, { brief, config, log, instruments, peer, database })
    const early = await Promise.race([starting, asked.promise])
    if (typeof early === 'string') process.exit(0) // it serves nothing yet
    peer.tell('ready')
    const why = await Promise.race([asked.promise, database.failed])
    if (why === 'abandoned') endWithin(abandonedForMs, log)
    if (why instanceof OperatorError) log.error({ reason: why.message }, 'stopping')
    await started.disposeAsync()
    if (why === 'abandoned' && brief.embedded) await stopAbandoned(config)
  } catch (error) {
    if (!(error instanceof OperatorError)) log.error({ err: error }, 'a serving process failed')
    const reason = error instanceof OperatorError ? error.message : `A serving process failed: ${error}`
    await peer.ask('cannot start', reason, answersWithinMs).catch(() => {})
    process.exitCode = 1
  }
  flush()
  process.exit()
}

function endWithin(ms: number, log: Log): void {
  log.warn('the supervisor is gone; stopping')
  setTimeout(() => process.exit(1), ms).unref()
}

/** The supervisor has started and prepared it. On a shared one every process holds the lock of its version. */
async function openDatabase({ embedded }: Brief, config: Config, log: Log): Promise<OpenDatabase> {
  if (!embedded) return openForServer(config, log)
  const address = addressOfHost(embedded)
  const db = openDb(address, log)
  return { db, address, number: 0, close: () => db.destroy(), failed: new Promise(() => {}) }
}

type Starting = {
  brief: Brief
  config: Config
  log: Log
  instruments: Instruments
  peer: Peer
  database: OpenDatabase
}

async function startServing(started: AsyncDisposableStack, starting: Starting) {
  const { brief, config, log, instruments, peer, database } = starting
  const { watchPools, read } = reportMetrics(config, instruments)
  peer.on('metrics', read)
  const { tlsFiles: files, isPaused, appFiles } = brief
  const tls = { files, pair: await readPair(files), ticketKeys: Buffer.from(brief.ticketKeys, 'base64') }
  const listen: Serving['listen'] = async (app) => {
    const accept = await serveHandedOver(app)
    peer.on('connection', (_, socket) => socket && accept(socket))
  }
  const { rateLimitPerMinute: perMinute } = config
  const openLimit: Serving['openLimit'] = (listener) =>
    openSharedRateLimit(started, { perMinute, address: database.address, listener, log })
  const throttle = askThrottle((asked: AskedAttempt) => peer.ask<AttemptResult>('sign-in', asked, answersWithinMs))
  const secretKey = await readSecretKey(config)
  const counted = { instruments, watchPools, openLimit, throttle }
  const { drain } = await serve(started, {
    config,
    log,
    secretKey,
    database,
    tls,
    isPaused,
    appFiles,
    listen,
    ...counted,
  })
  peer.on('drain', drain)
  if (brief.isDraining) drain()
}
