import type { Pool } from 'pg'
import { databaseMetrics } from '../src/app/operations/database-metrics.ts'
import {
  mergedMetrics,
  type ProcessSamples,
  readMetrics,
  type SampledProcess,
} from '../src/app/operations/merged-metrics.ts'
import type { Metric } from '../src/app/operations/metric.ts'
import { buildMetric, diskMetrics, poolMetrics, processMetrics } from '../src/app/operations/process-metrics.ts'
import { type ServedMetrics, serveMetrics } from '../src/app/operations/serve-metrics.ts'
import { trafficMetrics } from '../src/app/operations/traffic-metrics.ts'
import type { Config } from '../src/platform/config/config.ts'
import { type DatabaseAddress, type Db, openDb, poolOf } from '../src/platform/database/db.ts'
import type { Log } from '../src/platform/log.ts'
import type { Instruments } from '../src/platform/metrics/instruments.ts'

/** Adds pools that were opened later. */
export type WatchPools = (pools: Record<string, Pool | Db>) => void

export type Metrics = {
  /** Undefined: they are not served. */
  port: number | undefined
  /** Adds the metrics of the database, on a connection of their own. */
  watchDatabase: (address: DatabaseAddress) => AsyncDisposable
  watchPools: WatchPools
  /** Adds what serving processes report. */
  watchProcesses: (processes: () => SampledProcess[]) => void
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Serves `/metrics` where METRICS_PORT is set; it can be scraped from here on, with more metrics as parts start. */
export async function startMetrics(config: Config, log: Log, instruments: Instruments): Promise<Metrics> {
  if (!config.metrics) return { port: undefined, watchDatabase: () => nothing, ...unwatched, ...nothing }
  const served = await serveMetrics(config.metrics)
  const own = collectMetrics(instruments)
  served.add([...diskMetrics(config.dataDir), buildMetric(config.role)])
  if (config.processes === 1) served.add(own.metrics)
  log.info({ host: config.metrics.host, port: served.port }, 'metrics are served')
  return {
    port: served.port,
    watchPools: own.watchPools,
    watchDatabase: (address) => watchDatabase(address, { served, log, isEmbedded: config.databaseUrl === undefined }),
    watchProcesses: (processes) => served.add(ofAllProcesses(own.metrics, processes)),
    [Symbol.asyncDispose]: async () => {
      own.stop()
      await served[Symbol.asyncDispose]()
    },
  }
}

const nothing = { [Symbol.asyncDispose]: async () => {} }
const unwatched = { watchPools: () => {}, watchProcesses: () => {} }

type Watching = { served: ServedMetrics; log: Log; isEmbedded: boolean }

function watchDatabase(address: DatabaseAddress, { served, log, isEmbedded }: Watching): AsyncDisposable {
  const db = openDb(address, log, 1)
  served.add(databaseMetrics(db, log, isEmbedded))
  return { [Symbol.asyncDispose]: () => db.destroy() }
}

/** What a serving process reports to the supervisor, which serves it. */
export function reportMetrics(config: Config, instruments: Instruments): Report {
  if (!config.metrics) return { watchPools: () => {}, read: async () => ({}) }
  const { metrics, watchPools } = collectMetrics(instruments)
  return { watchPools, read: () => readMetrics(metrics) }
}

type Report = { watchPools: WatchPools; read: () => Promise<ProcessSamples> }

function collectMetrics(instruments: Instruments): { metrics: Metric[]; watchPools: WatchPools; stop: () => void } {
  const ofProcess = processMetrics()
  const pools: Record<string, Pool | undefined> = {}
  return {
    metrics: [...trafficMetrics(instruments), ...ofProcess.metrics, ...poolMetrics(() => pools)],
    watchPools: (opened) => {
      for (const [name, pool] of Object.entries(opened)) pools[name] = 'totalCount' in pool ? pool : poolOf(pool)
    },
    stop: ofProcess.stop,
  }
}

/** The supervisor is the process 0; of what is counted it has only log lines. */
function ofAllProcesses(own: Metric[], processes: () => SampledProcess[]): Metric[] {
  const supervisor = { id: 0, index: 0, read: () => readMetrics(own) }
  return mergedMetrics(own, () => [supervisor, ...processes()])
}
