import { countMessages, fillTo } from '../fill.ts'
import { median } from '../statistics.ts'
import { loadOn, perRequest, perSecond, type Stage } from './stage.ts'

/** What a message costs with so many kept already; medians of the stretches. */
export type GrowthPoint = {
  rows: number
  requestsPerSecond: number
  nodeMicros: number
  postgresMicros: number
  memoryBytes: number
}

const stretches = 3
/** Long enough to be past the first touch of each page, which costs its whole image in the log. */
const warmupMs = 3_000
const measuredMs = 4_000

/** Measures the product with what its database holds now. */
export async function measureGrowthPoint(stage: Stage): Promise<GrowthPoint> {
  const { product } = stage.contestants
  const database = await product.connect()
  await database.query('checkpoint') // so that every point begins alike
  const rows = await countMessages(database)
  await database.end()
  const outcomes = []
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    outcomes.push(await loadOn(stage, product, { warmupMs: stretch === 0 ? warmupMs : 200, measuredMs }))
  }
  const point = {
    rows,
    requestsPerSecond: median(outcomes.map(perSecond)),
    nodeMicros: median(outcomes.map((outcome) => perRequest(outcome).node)),
    postgresMicros: median(outcomes.map((outcome) => perRequest(outcome).postgres)),
    memoryBytes: Math.max(...outcomes.map(({ memory }) => memory.now)),
  }
  stage.tell(`growth: ${rows} messages, PostgreSQL ${point.postgresMicros.toFixed(0)} µs a message`)
  return point
}

export async function fillProduct({ contestants, options, tell }: Stage): Promise<void> {
  tell(`filling to ${options.rows} messages`)
  const database = await contestants.product.connect()
  await fillTo(database, options.rows)
  await database.end()
}
