import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { type Backends, type PoolCpu, poolsBetween, sumOf, watchBackends } from '../backends.ts'
import { readCpu } from '../measure.ts'
import { apiKey, type RunningServer } from '../servers/start.ts'
import { median, type Spread, spreadOf } from '../statistics.ts'
import { type Bench, letRun } from './bench.ts'
import { untilCaughtUp } from './caught-up.ts'

/** The whole cost of a message, with all that happens after its answer. Microseconds of CPU a message; medians. */
export type Whole = {
  messages: number
  /** All CPU time, Node and PostgreSQL, of that until the last answer; and of each of the two. */
  ratio: Spread
  nodeRatio: Spread
  postgresRatio: Spread
  /** Until the last message was answered. */
  before: Cost
  /** From then on, without what an idle server takes in that time. */
  later: Cost
  /** The longest time from the last answer until all was searchable and counted. */
  caughtUpMs: number
  /** Conversations that were not, when we stopped to wait for them. */
  behind: number
}

type Cost = { node: number; postgres: number; pools: Record<string, number> }

type Burst = Pick<Whole, 'messages' | 'before' | 'later' | 'caughtUpMs' | 'behind'>

/**
 * The reports look at an account for some time longer, and alerts are looked for every five seconds. A quick run shows
 * only whether it works.
 */
const timesOf = (quick: boolean) =>
  quick
    ? { settleMs: 2_000, idleMs: 2_000, burstMs: 1_500, atLeastMs: 3_000, withinMs: 5_000, bursts: 1 }
    : { settleMs: 30_000, idleMs: 10_000, burstMs: 6_000, atLeastMs: 20_000, withinMs: 120_000, bursts: 2 }

/**
 * Bursts of messages, and what is left to do afterwards, until the server is idle again. The server does a part of that
 * while messages still come, which counts as before the answer: in Node it cannot be told apart, in PostgreSQL by the pool.
 */
export async function measureWhole(bench: Bench): Promise<Whole> {
  const { options, servers, printProgress } = bench
  letRun(bench, servers.product)
  const database = await servers.product.connect()
  const times = timesOf(options.quick)
  await untilCaughtUp(database, times.withinMs)
  await sleep(times.settleMs)
  await using backends = await watchBackends(servers.product)
  const read = openReading(servers.product, backends)
  const idle = await readIdle(read, times.idleMs)
  const bursts: Burst[] = []
  for (let n = 0; n < times.bursts; n += 1) {
    const burst = await measureBurst(bench, { database, read, idle })
    bursts.push(burst)
    const [first, later] = [burst.before, burst.later].map(({ node, postgres }) => (node + postgres).toFixed(0))
    printProgress(`whole cost, burst ${n + 1}: ${first} µs before the answer, ${later} µs later`)
  }
  await database.end()
  return wholeOf(bursts)
}

type Reading = { at: number; node: number; pools: PoolCpu }
type Read = () => Promise<Reading>

function openReading({ processes }: RunningServer, backends: Backends): Read {
  return async () => ({ at: performance.now(), node: readCpu(processes).node, pools: await backends.read() })
}

/** What happened between two readings. */
function between(first: Reading, last: Reading) {
  return { ms: last.at - first.at, node: last.node - first.node, pools: poolsBetween(first.pools, last.pools) }
}

type Idle = ReturnType<typeof between>

async function readIdle(read: Read, ms: number): Promise<Idle> {
  const first = await read()
  await sleep(ms)
  return between(first, await read())
}

type Context = { database: Client; read: Read; idle: Idle }

async function measureBurst(bench: Bench, { database, read, idle }: Context): Promise<Burst> {
  const { client, options, servers } = bench
  const times = timesOf(options.quick)
  const { port, certificate, processes } = servers.product
  const load = { port, certificate, processes, apiKey, connections: options.connections, traffic: 'names' as const }
  const first = await read()
  const { acknowledged } = await client.load({ ...load, warmupMs: 0, measuredMs: times.burstMs })
  const answered = await read()
  const behind = await untilCaughtUp(database, times.withinMs)
  const caughtUpMs = performance.now() - answered.at
  await sleep(Math.max(0, times.atLeastMs - caughtUpMs))
  const later = between(answered, await read())
  const each = ({ node, pools }: Pick<Reading, 'node' | 'pools'>): Cost => ({
    node: node / acknowledged,
    postgres: sumOf(pools) / acknowledged,
    pools: Object.fromEntries([...pools].map(([name, micros]) => [name, micros / acknowledged])),
  })
  return {
    messages: acknowledged,
    before: each(between(first, answered)),
    later: each(withoutIdle(later, idle)),
    caughtUpMs,
    behind,
  }
}

function withoutIdle({ ms, node, pools }: Idle, idle: Idle): Pick<Reading, 'node' | 'pools'> {
  const share = ms / idle.ms
  return {
    node: node - idle.node * share,
    pools: new Map([...pools].map(([name, micros]) => [name, micros - (idle.pools.get(name) ?? 0) * share])),
  }
}

function wholeOf(bursts: Burst[]): Whole {
  const ratio = (read: (cost: Cost) => number) =>
    spreadOf(bursts.map(({ before, later }) => (read(before) + read(later)) / read(before)))
  const middle = (part: 'before' | 'later'): Cost => ({
    node: median(bursts.map((burst) => burst[part].node)),
    postgres: median(bursts.map((burst) => burst[part].postgres)),
    pools: Object.fromEntries(
      [...new Set(bursts.flatMap((burst) => Object.keys(burst[part].pools)))].map((name) => [
        name,
        median(bursts.map((burst) => burst[part].pools[name] ?? 0)),
      ]),
    ),
  })
  return {
    messages: bursts.reduce((sum, { messages }) => sum + messages, 0),
    ratio: ratio(({ node, postgres }) => node + postgres),
    nodeRatio: ratio(({ node }) => node),
    postgresRatio: ratio(({ postgres }) => postgres),
    before: middle('before'),
    later: middle('later'),
    caughtUpMs: Math.max(...bursts.map(({ caughtUpMs }) => caughtUpMs)),
    behind: Math.max(...bursts.map(({ behind }) => behind)),
  }
}
