import type { Client } from 'pg'
import { countMessages, fillTo } from '../fill.ts'
import { median } from '../statistics.ts'
import { type Bench, letRun, loadOn, perRequest, perSecond } from './bench.ts'

/** What a message costs with so many kept already; medians of the stretches. */
export type GrowthPoint = {
  rows: number
  requestsPerSecond: number
  nodeMicros: number
  postgresMicros: number
  memoryBytes: number
  /** Written to the log a message, and how many whole pages among it: the first change to a page after a checkpoint. */
  walBytes: number
  walPages: number
}

const stretches = 3
/**
 * Long enough to be past the first change to most pages, which writes the whole page to the log. Checkpoints are
 * minutes apart, so this happens to few messages in a day, but would happen to most in the seconds that we measure.
 */
export const warmupMsOf = (rows: number) => 3_000 + (rows / 1_000_000) * 7_000
const measuredMs = 4_000

/** Measures the product with what its database holds now. */
export async function measureGrowthPoint(bench: Bench): Promise<GrowthPoint> {
  const { product } = bench.servers
  letRun(bench, product)
  const database = await product.connect()
  await database.query('checkpoint') // so that every point begins alike
  const rows = await countMessages(database)
  await loadOn(bench, product, { warmupMs: warmupMsOf(rows), measuredMs: 100 })
  const walBefore = await readWal(database)
  const outcomes = []
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    outcomes.push(await loadOn(bench, product, { warmupMs: 200, measuredMs }))
  }
  const wal = await readWal(database)
  await database.end()
  const kept = outcomes.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  const point = {
    rows,
    requestsPerSecond: median(outcomes.map(perSecond)),
    nodeMicros: median(outcomes.map((outcome) => perRequest(outcome).node)),
    postgresMicros: median(outcomes.map((outcome) => perRequest(outcome).postgres)),
    memoryBytes: Math.max(...outcomes.map(({ memory }) => memory.now)),
    walBytes: (wal.bytes - walBefore.bytes) / kept,
    walPages: (wal.pages - walBefore.pages) / kept,
  }
  bench.printProgress(`growth: ${rows} messages, PostgreSQL ${point.postgresMicros.toFixed(0)} µs a message`)
  return point
}

export async function readWal(database: Client): Promise<{ bytes: number; pages: number }> {
  const { rows } = await database.query<{ wal_bytes: string; wal_fpi: string }>(
    'select wal_bytes, wal_fpi from pg_stat_wal',
  )
  return { bytes: Number(rows[0]?.wal_bytes), pages: Number(rows[0]?.wal_fpi) }
}

export async function fillProduct(bench: Bench): Promise<void> {
  const { servers, options, printProgress } = bench
  letRun(bench, servers.product)
  printProgress(`filling to ${options.rows} messages`)
  const database = await servers.product.connect()
  await fillTo(database, options.rows)
  await database.end()
}
