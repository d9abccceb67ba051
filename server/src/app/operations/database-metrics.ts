import { sql } from 'kysely'
import { cacheFor } from '../../platform/cache-for.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Log } from '../../platform/log.ts'
import type { Metric, Sample } from './metric.ts'
import {
  countChannels,
  countReceivers,
  isArchiveFailing,
  type MaintenanceState,
  type QueueState,
  readDatabaseSize,
  readLastDone,
  readQueues,
} from './queue-store.ts'

/** A query, and the metrics that are made of its result. One that fails makes only its own metrics absent. */
type Reading<Row> = { read: (db: Db) => Promise<Row>; metrics: ReadMetric<Row>[] }
type ReadMetric<Row> = { name: string; help: string; samples: (row: Row) => Sample[] }

const reading = <Row>(read: (db: Db) => Promise<Row>, metrics: ReadMetric<Row>[]) =>
  ({ read, metrics }) as Reading<unknown> // each `samples` gets what the `read` beside it returns

const queueSamples = (value: (queue: QueueState) => number) => (queues: QueueState[]) =>
  queues.map((one) => ({ labels: { queue: one.queue }, value: value(one) }))

const whenDone = (value: (done: MaintenanceState) => number | null) => (done: MaintenanceState | undefined) => {
  const found = done && value(done)
  return found === undefined || found === null ? [] : [{ value: found }]
}

/** The metric for the alert about backups that were never made. A database that is not ours to back up has none. */
const firstStart = 'patchbay_first_start_timestamp_seconds'

const readings = [
  reading(readQueues, [
    {
      name: 'patchbay_queue_jobs',
      help: 'Jobs in each queue of the whole installation, counted up to 100000.',
      samples: queueSamples(({ jobs }) => jobs),
    },
    {
      name: 'patchbay_queue_overdue_seconds',
      help: 'For how long the oldest job of each queue has been due.',
      samples: queueSamples(({ overdueSeconds }) => overdueSeconds),
    },
  ]),
  reading(countReceivers, [
    {
      name: 'patchbay_receivers',
      help: 'Receivers of events by state: healthy, failing, open (circuit breaker), paused.',
      samples: (rows) => rows.map(({ state, receivers }) => ({ labels: { state }, value: receivers })),
    },
  ]),
  reading(countChannels, [
    {
      name: 'patchbay_channels',
      help: 'Built-in channels by kind and state: connecting, working, attention, paused, held (in a restored copy). Absent without channels.',
      samples: (rows) => rows.map(({ kind, state, channels }) => ({ labels: { kind, state }, value: channels })),
    },
  ]),
  reading(readDatabaseSize, [
    {
      name: 'patchbay_database_size_bytes',
      help: 'Size of the database on disk, with its indexes.',
      samples: (value) => [{ value }],
    },
  ]),
  reading(readLastDone, [
    {
      name: firstStart,
      help: 'When an installation with the embedded database was first started, in seconds since 1970.',
      samples: whenDone(({ firstStartedAt }) => firstStartedAt),
    },
    {
      name: 'patchbay_last_backup_timestamp_seconds',
      help: 'When the embedded database was last backed up, in seconds since 1970. Absent while it never was.',
      samples: whenDone(({ backedUpAt }) => backedUpAt),
    },
    {
      name: 'patchbay_backup_failed',
      help: '1: the last backup that the server was to make failed. Absent while none was made.',
      samples: whenDone(({ backupFailed }) => (backupFailed === null ? null : Number(backupFailed))),
    },
    {
      name: 'patchbay_last_ledger_check_timestamp_seconds',
      help: 'When the ledger was last checked, in seconds since 1970. Absent while it never was.',
      samples: whenDone(({ ledgerCheckedAt }) => ledgerCheckedAt),
    },
    {
      name: 'patchbay_ledger_breaches',
      help: 'Violations that the last check of the ledger found.',
      samples: whenDone(({ ledgerBreaches }) => ledgerBreaches),
    },
  ]),
  reading(isArchiveFailing, [
    {
      name: 'patchbay_archive_failing',
      help: '1: the last file of the write-ahead log could not be archived. Absent where nothing is archived.',
      samples: (isFailing) => (isFailing === undefined ? [] : [{ value: Number(isFailing) }]),
    },
  ]),
]

/** For how long a result is served to further scrapes. */
const cachedMs = 5_000

/** A scrape waits so long for the database, and then goes without it. */
const longestWaitMs = 3_000

/**
 * What only the database knows: the same from every process. A database that does not answer makes these metrics absent
 * and `patchbay_up_database` 0; the scrape itself succeeds.
 */
export function databaseMetrics(db: Db, log: Log, isEmbedded: boolean): Metric[] {
  const snapshot = cacheFor(cachedMs, () => within(longestWaitMs, readAll(db, log)))
  const named = readings.flatMap(({ metrics }) => metrics).filter(({ name }) => isEmbedded || name !== firstStart)
  return [
    {
      name: 'patchbay_up_database',
      type: 'gauge',
      help: '1: the database answered within 3 seconds.',
      read: async () => [{ value: (await snapshot()) ? 1 : 0 }],
    },
    ...named.map(({ name, help }) => ({
      name,
      type: 'gauge' as const,
      help,
      read: async () => (await snapshot())?.get(name) ?? [],
    })),
  ]
}

/** Reads one after the other, on one connection. Undefined: the database cannot be reached. */
async function readAll(db: Db, log: Log): Promise<Map<string, Sample[]> | undefined> {
  const samples = new Map<string, Sample[]>()
  try {
    await sql`select 1`.execute(db)
  } catch {
    return undefined // `patchbay_up_database` says so
  }
  for (const { read, metrics } of readings) {
    try {
      const row = await read(db)
      for (const metric of metrics) samples.set(metric.name, metric.samples(row))
    } catch (err) {
      log.warn({ err, metrics: metrics.map(({ name }) => name) }, 'a query for metrics failed; they are absent')
    }
  }
  return samples
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
