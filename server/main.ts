import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FirstStart } from './process/first-start.ts'
import { openSharedRateLimit } from './process/open-shared-rate-limit.ts'
import { type Opening, type Prepared, prepareServer } from './process/prepare-server.ts'
import type { Serving } from './process/serve.ts'
import { openRateLimiter } from './src/business/accounts/rate-limit/rate-limit.ts'
import { openSignInThrottle } from './src/business/sessions/throttle/sign-in-throttle.ts'
import { startScheduledBackups } from './src/platform/backup/scheduled-backups.ts'
import type { Config } from './src/platform/config/config.ts'
import type { Log } from './src/platform/log.ts'
import type { OperatorError } from './src/platform/operator-error.ts'

type Serve = typeof import('./process/serve.ts')['serve']

export type RunningServer = {
  port: number
  certificateFile: string
  firstStart: FirstStart | undefined
  /** This is a restored copy that was told to do no background work. */
  isPaused: boolean
  /** `/readyz` fails from now on; returns when proxies have had the time to notice. */
  drain: () => Promise<void>
  /** Answers the requests in flight, then closes everything in reverse order. */
  stop: () => Promise<void>
  /** Resolves when the server must stop because of an error. */
  failed: Promise<OperatorError>
}

/**
 * Starts everything; when a step fails, what was started before it is stopped again. With PROCESSES above 1 this process
 * prepares all of it and then supervises those that serve.
 */
export async function startServer(given: Config, log: Log, opening: Opening): Promise<RunningServer> {
  await using started = new AsyncDisposableStack()
  // Loaded while the database starts; a supervisor needs nothing of it.
  const loaded = given.processes === 1 ? import('./process/serve.ts') : undefined
  const prepared = await prepareServer(started, given, log, opening)
  const { config, database, reserved, tls, firstStart, isPaused } = prepared
  const serving = loaded
    ? await serveAlone(started, prepared, log, (await loaded).serve)
    : await serveByOthers(started, prepared, log)
  backUp(started, prepared, log)
  const running = started.move()
  return {
    port: reserved.port,
    certificateFile: tls.files.cert,
    firstStart,
    isPaused,
    drain: () => {
      serving.drain()
      return sleep(config.drainSeconds * 1_000)
    },
    stop: () => running.disposeAsync(),
    failed: Promise.race([database.failed, serving.failed]),
  }
}

/** By the process that has prepared everything, however many serve. A paused copy would put its backups among the real ones. */
function backUp(started: AsyncDisposableStack, { config, database, isPaused }: Prepared, log: Log): void {
  const program = join(import.meta.dirname, 'cli.ts')
  const schedule = isPaused ? undefined : config.backup
  if (schedule) started.use(startScheduledBackups({ db: database.db, log, schedule, program }))
}

async function serveByOthers(started: AsyncDisposableStack, prepared: Prepared, log: Log) {
  const { supervise } = await import('./process/supervise.ts')
  return supervise(started, prepared, log)
}

async function serveAlone(started: AsyncDisposableStack, prepared: Prepared, log: Log, serve: Serve) {
  const { config, reserved, metrics } = prepared
  const { rateLimitPerMinute: perMinute, databaseUrl } = config
  const openLimit: Serving['openLimit'] = (listener) =>
    databaseUrl === undefined
      ? openRateLimiter(perMinute)
      : openSharedRateLimit(started, { perMinute, address: prepared.database.address, listener, log })
  const counted = { openLimit, throttle: openSignInThrottle() }
  const { drain } = await serve(started, {
    ...prepared,
    ...counted,
    log,
    watchPools: metrics.watchPools,
    listen: reserved.handOverTo,
  })
  return { drain, failed: new Promise<never>(() => {}) }
}
