import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { print } from '../app/world.ts'
import { fillTo, prepareAccount } from '../fill.ts'
import { orInterrupted } from '../interrupt.ts'
import { type LoadClient, startLoadClient } from '../load/client.ts'
import { perRequest, perSecond, surprises } from '../sections/bench.ts'
import { type GrowthPoint, readWal, warmupMsOf } from '../sections/growth.ts'
import { apiKey, type RunningServer, startServer } from '../servers/start.ts'
import { untilIdle } from '../servers/until-idle.ts'
import { median, spreadOf } from '../statistics.ts'
import { asText } from '../table.ts'

/** How much more of PostgreSQL a message may cost with so many kept. */
const goals = new Map([
  [5_000_000, 0.15],
  [20_000_000, 0.3],
])

type Settings = { sizes: number[]; rounds: number; seconds: number }

/**
 * What a message costs with many kept, beside what it costs with few: a server with a database for each size, in turns,
 * and those that are not in their turn are stopped. One after the other, the machine's own changes were larger than what
 * was measured. The one with none is a new one in each round: it would hold a third of a million after its first turn.
 */
export async function benchGrowth(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { rows: { ...text, multiple: true }, rounds: text, seconds: text } })
  const sizes = [0, ...(values.rows?.map(Number) ?? goals.keys())]
  const settings = { sizes, rounds: Number(values.rounds ?? 3), seconds: Number(values.seconds ?? 45) }
  await using started = new AsyncDisposableStack()
  await orInterrupted(compare(started, settings))
}

async function compare(started: AsyncDisposableStack, { sizes, rounds, seconds }: Settings): Promise<void> {
  const folder = await makeTemporaryFolder('patchbay-bench-growth-', started)
  const load = started.use(startLoadClient())
  const servers = new Map<number, RunningServer>()
  const letRun = (rows: number): RunningServer => {
    for (const [other, server] of servers) if (other !== rows) server.pause()
    const server = servers.get(rows)
    if (!server) throw new Error(`there is no server with ${rows} messages`)
    server.resume()
    return server
  }
  const start = async (rows: number, name: string): Promise<RunningServer> => {
    for (const server of servers.values()) server.pause()
    const own = join(folder, name)
    await mkdir(own)
    const server = started.use(await startServer('product', own, { logFolder: undefined, profileFolder: undefined }))
    await servers.get(rows)?.[Symbol.asyncDispose]()
    servers.set(rows, server)
    await fill(server, rows)
    await measure(load, server, { rows, warmupMs: warmupMsOf(rows), measuredMs: 100 })
    return server
  }
  for (const rows of sizes.filter((size) => size > 0)) {
    print(`filling: ${rows} messages`)
    await start(rows, String(rows))
  }
  const points = new Map<number, GrowthPoint[]>(sizes.map((rows) => [rows, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const n of sizes.keys()) {
      const rows = sizes[(round + n) % sizes.length] ?? 0 // each round begins with another one
      const server = rows > 0 ? letRun(rows) : await start(0, `0-${round}`)
      await untilIdle(server)
      const point = await measure(load, server, { rows, warmupMs: 3_000, measuredMs: seconds * 1_000 })
      points.get(rows)?.push(point)
      print(`round ${round + 1}: ${rows} messages kept, PostgreSQL ${point.postgresMicros.toFixed(0)} µs a message`)
    }
  }
  process.stdout.write(`\n${asText(report(points))}`)
}

/**
 * No autovacuum: what was filled within minutes would be cleaned up and frozen while we measure. Checkpoints come as they do under
 * such a load, every half a minute or so: after each the first change to a page writes all of it to the log, which is
 * most of what growth costs. So a turn takes longer than that.
 */
async function fill({ connect }: RunningServer, rows: number): Promise<void> {
  const database = await connect()
  await prepareAccount(database)
  if (rows > 0) await fillTo(database, rows)
  await database.query('vacuum (analyze, freeze)')
  await database.query('alter system set autovacuum = off')
  await database.query('select pg_reload_conf()')
  await database.query('checkpoint')
  await database.end()
}

type Stretch = { rows: number; warmupMs: number; measuredMs: number }

async function measure(load: LoadClient, server: RunningServer, { rows, ...times }: Stretch): Promise<GrowthPoint> {
  const { port, certificate, processes } = server
  const database = await server.connect()
  const target = { port, certificate, processes, apiKey, connections: 64, traffic: 'plain' as const }
  await load.load({ ...target, ...times, measuredMs: 100 })
  const before = await readWal(database)
  const outcome = await load.load({ ...target, warmupMs: 100, measuredMs: times.measuredMs })
  const after = await readWal(database)
  await database.end()
  const words = surprises(outcome, 200)
  if (words !== undefined) throw new Error(`not every message was accepted: ${words}`)
  return {
    rows,
    requestsPerSecond: perSecond(outcome),
    nodeMicros: perRequest(outcome).node,
    postgresMicros: perRequest(outcome).postgres,
    memoryBytes: outcome.memory.now,
    walBytes: (after.bytes - before.bytes) / outcome.acknowledged,
    walPages: (after.pages - before.pages) / outcome.acknowledged,
  }
}

function report(points: Map<number, GrowthPoint[]>) {
  const few = points.get(0) ?? []
  const rows = [...points].map(([size, measured]) => {
    const middle = (read: (point: GrowthPoint) => number) => median(measured.map(read))
    const more = spreadOf(measured.map(({ postgresMicros }, n) => postgresMicros / (few[n]?.postgresMicros ?? 0) - 1))
    const goal = goals.get(size)
    const verdict = goal === undefined ? '' : `≤ ${percent(goal)}: ${more.median <= goal ? 'met' : 'NOT MET'}`
    return [
      size.toLocaleString('en-US'),
      middle(({ requestsPerSecond }) => requestsPerSecond).toFixed(0),
      middle(({ nodeMicros }) => nodeMicros).toFixed(0),
      middle(({ postgresMicros }) => postgresMicros).toFixed(0),
      size === 0 ? '' : `${percent(more.median)} (${percent(more.min)} to ${percent(more.max)})`,
      verdict,
      middle(({ walBytes }) => walBytes).toFixed(0),
      middle(({ walPages }) => walPages).toFixed(2),
    ]
  })
  const title = 'What a message costs with so many kept'
  const head = ['kept', 'req/s', 'Node µs', 'PostgreSQL µs', 'more', 'goal', 'log bytes', 'whole pages']
  return { title, note: 'Each ratio is of one round.', head, rows }
}

const percent = (share: number) => `${share < 0 ? '' : '+'}${(share * 100).toFixed(0)} %`
