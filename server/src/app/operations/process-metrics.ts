import { statfs } from 'node:fs/promises'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Pool } from 'pg'
import { version } from '../../platform/version.ts'
import type { Metric } from './metric.ts'

/** How often the delay of the event loop is sampled. */
const resolutionMs = 20

/** What this process uses. Delays and utilization are those since the last scrape. `stop` ends their sampling. */
export function processMetrics(): { metrics: Metric[]; stop: () => void } {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const metrics = [...eventLoopMetrics(delay), ...usageMetrics()]
  return { metrics: metrics.map((metric) => ({ ...metric, isPerProcess: true })), stop: () => delay.disable() }
}

type Delay = ReturnType<typeof monitorEventLoopDelay>

function eventLoopMetrics(delay: Delay): Metric[] {
  let before = performance.eventLoopUtilization()
  // A sample is the time between two timers, which is the resolution when nothing delays them.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1_000)
  return [
    {
      name: 'patchbay_event_loop_delay_p99_seconds',
      type: 'gauge',
      help: 'Delay of the event loop since the last scrape, 99th percentile.',
      read: () => [{ value: delay.count === 0 ? 0 : seconds(delay.percentile(99)) }],
    },
    {
      name: 'patchbay_event_loop_delay_max_seconds',
      type: 'gauge',
      help: 'Longest delay of the event loop since the last scrape.',
      read: () => {
        const value = delay.count === 0 ? 0 : seconds(delay.max)
        queueMicrotask(() => delay.reset()) // after all metrics of this scrape are read
        return [{ value }]
      },
    },
    {
      name: 'patchbay_event_loop_utilization_ratio',
      type: 'gauge',
      help: 'Part of the time since the last scrape in which the event loop was busy, 0 to 1.',
      read: () => {
        const now = performance.eventLoopUtilization()
        const { utilization } = performance.eventLoopUtilization(now, before)
        before = now
        return [{ value: utilization }]
      },
    },
  ]
}

function usageMetrics(): Metric[] {
  const startedAt = Math.round(performance.timeOrigin) / 1_000
  const gauge = (name: string, help: string, read: () => number): Metric => ({
    name,
    help,
    type: 'gauge',
    read: () => [{ value: read() }],
  })
  return [
    gauge('process_resident_memory_bytes', 'Memory of this process.', () => process.memoryUsage.rss()),
    gauge('process_heap_used_bytes', 'Part of the JavaScript heap in use.', () => process.memoryUsage().heapUsed),
    gauge('process_start_time_seconds', 'When this process started, in seconds since 1970.', () => startedAt),
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Processor time of this process, in user and kernel mode.',
      read: () => [{ value: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6 }],
    },
  ]
}

export function buildMetric(role: string): Metric {
  return {
    name: 'patchbay_build_info',
    type: 'gauge',
    help: 'Always 1; the labels say what runs.',
    read: () => [{ labels: { version, node: process.versions.node, role }, value: 1 }],
  }
}

/** Connections to the database, by pool. */
export function poolMetrics(pools: () => Record<string, Pool | undefined>): Metric[] {
  const open = () => Object.entries(pools()).flatMap(([pool, of]) => (of ? [{ pool, of }] : []))
  return [
    {
      name: 'patchbay_database_connections',
      type: 'gauge',
      help: 'Open connections to the database, by pool and state.',
      read: () =>
        open().flatMap(({ pool, of }) => [
          { labels: { pool, state: 'busy' }, value: of.totalCount - of.idleCount },
          { labels: { pool, state: 'idle' }, value: of.idleCount },
        ]),
    },
    {
      name: 'patchbay_database_connections_max',
      type: 'gauge',
      help: 'Largest number of connections of each pool.',
      read: () => open().map(({ pool, of }) => ({ labels: { pool }, value: of.options.max })),
    },
    {
      name: 'patchbay_database_pool_waiting',
      type: 'gauge',
      help: 'Statements that wait for a connection of each pool.',
      read: () => open().map(({ pool, of }) => ({ labels: { pool }, value: of.waitingCount })),
    },
  ]
}

/** The disk that the data folder is on. */
export function diskMetrics(dataDir: string): Metric[] {
  const disk = (name: string, help: string, blocks: 'bavail' | 'blocks'): Metric => ({
    name,
    help,
    type: 'gauge',
    read: async () => {
      const found = await statfs(dataDir).catch(() => undefined) // with DATABASE_URL there may be no folder
      return found ? [{ value: found[blocks] * found.bsize }] : []
    },
  })
  return [
    disk('patchbay_data_dir_free_bytes', 'Free space on the disk of DATA_DIR.', 'bavail'),
    disk('patchbay_data_dir_disk_bytes', 'Size of the disk of DATA_DIR.', 'blocks'),
  ]
}
