import type { Pool } from 'pg'
import { databaseMetrics } from './src/observability/database-metrics.ts'
import { diskMetrics, poolMetrics, processMetrics } from './src/observability/process-metrics.ts'
import { serveMetrics } from './src/observability/serve-metrics.ts'
import { trafficMetrics } from './src/observability/traffic-metrics.ts'
import type { Config } from './src/platform/config/config.ts'
import { type DatabaseAddress, type Db, openDb, poolOf } from './src/platform/database/db.ts'
import type { Log } from './src/platform/log.ts'
import type { Instruments } from './src/platform/metrics/instruments.ts'

export type Metrics = {
  /** Undefined: they are not served. */
  port: number | undefined
  /** Adds the metrics of the database, on a connection of their own. */
  watchDatabase: (address: DatabaseAddress, pools: Record<string, Pool | Db>) => AsyncDisposable
  /** Adds pools that were opened later. */
  watchPools: (pools: Record<string, Pool | Db>) => void
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Serves `/metrics` where METRICS_PORT is set; it can be scraped from here on, with more metrics as parts start. */
export async function startMetrics(config: Config, log: Log, instruments: Instruments): Promise<Metrics> {
  if (!config.metrics) return { port: undefined, watchDatabase: () => nothing, watchPools: () => {}, ...nothing }
  const served = await serveMetrics(config.metrics)
  const ofProcess = processMetrics(config.role)
  const pools: Record<string, Pool | undefined> = {}
  served.add([
    ...trafficMetrics(instruments),
    ...ofProcess.metrics,
    ...poolMetrics(() => pools),
    ...diskMetrics(config.dataDir),
  ])
  log.info({ host: config.metrics.host, port: served.port }, 'metrics are served')

  function watchPools(opened: Record<string, Pool | Db>): void {
    for (const [name, pool] of Object.entries(opened)) pools[name] = 'totalCount' in pool ? pool : poolOf(pool)
  }

  return {
    port: served.port,
    watchPools,
    watchDatabase: (address, opened) => {
      const db = openDb(address, log, 1)
      watchPools(opened)
      served.add(databaseMetrics(db, log))
      return { [Symbol.asyncDispose]: () => db.destroy() }
    },
    [Symbol.asyncDispose]: async () => {
      ofProcess.stop()
      await served[Symbol.asyncDispose]()
    },
  }
}

const nothing = { [Symbol.asyncDispose]: async () => {} }
