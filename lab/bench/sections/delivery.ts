import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { outgoingStatus } from '../../../server/src/journey/messages/status-store.ts'
import { startHelper } from '../helper-process.ts'
import type { BareOutcome, BarePosts } from '../load/bare-post.ts'
import type { Tally } from '../load/ledger.ts'
import { senders } from '../load/outgoing.ts'
import type { DeliveryLoad, DeliveryOutcome } from '../load/run-delivery.ts'
import { prepareSenders } from '../senders.ts'
import type { RunningServer } from '../servers/start.ts'
import { untilIdle } from '../servers/until-idle.ts'
import { type Latency, median, type Spread, spreadOf } from '../statistics.ts'
import { type Bench, letRun, perRequest, perSecond, surprises, whenQuiet } from './bench.ts'

/** Messages on their way out: how long one takes to its receiver, and how many fit. */
export type Delivery = {
  receivers: number
  /** At a steady rate, from when a message was due until its receiver had read the event. */
  steady: Flow & {
    requestsPerSecond: number
    latency: Latency
    /** p99 of every five seconds. */
    stretchP99s: number[]
  }
  /** As fast as it goes: those that were both accepted and delivered, in the time until the last had arrived. */
  sustained: Flow & {
    perSecond: Spread
    /** From the last request until nothing was left to do; the longest. */
    drainedMs: number
    /** What should have left and did not, after all of it. */
    left: number
  }
  /** The same server without the part that delivers. */
  acceptedOnly: Flow & { perSecond: Spread }
  /** Messages a second, sustained, as a share of those that are only accepted, round by round. */
  share: Spread
  /** One post by `node:http` with an agent that keeps connections, from a process that does nothing else. */
  barePost: { perSecond: Spread; nodeMicros: number }
  tally: Tally
}

/** Medians of the stretches. */
type Flow = {
  nodeMicros: number
  postgresMicros: number
  memoryBytes: number
  clientShare: number
  othersShare: number
  surprises: string[]
}

const steadyPerSecond = 1_000

export async function measureDelivery(bench: Bench): Promise<Delivery> {
  const { quick } = bench.options
  const { deliverer, keeper } = bench.senders
  const { ports } = await bench.client.listen(senders)
  letRun(bench, deliverer, keeper)
  await Promise.all([deliverer, keeper].map((server) => prepareSenders(server, ports)))
  const database = await deliverer.connect()
  const rounds = await sustain(bench, database, ports)

  const times = quick ? { warmupMs: 200, measuredMs: 1_500 } : { warmupMs: 2_000, measuredMs: 20_000 }
  const steady = await deliverOn(bench, deliverer, { ...times, requestsPerSecond: steadyPerSecond })
  const stretchP99s = steady.stretches.map(({ p99 }) => p99)
  const each = stretchP99s.map((p99) => p99.toFixed(1)).join(', ')
  bench.printProgress(`delivery at ${steadyPerSecond}/s: p99 of every five seconds ${each} ms`)
  await untilNothingLeft(database)
  const left = await countLeft(database)
  await database.end()

  const delivered = rounds.map(({ sustained }) => sustained)
  const accepted = rounds.map(({ acceptedOnly }) => acceptedOnly)
  return {
    receivers: senders,
    steady: { ...flowOf([steady]), requestsPerSecond: steadyPerSecond, latency: steady.latency, stretchP99s },
    sustained: {
      ...flowOf(delivered),
      perSecond: spreadOf(delivered.map(perSecond)),
      drainedMs: Math.max(...rounds.map(({ drainedMs }) => drainedMs)),
      left,
    },
    acceptedOnly: { ...flowOf(accepted), perSecond: spreadOf(accepted.map(perSecond)) },
    share: spreadOf(rounds.map(({ sustained, acceptedOnly }) => perSecond(sustained) / perSecond(acceptedOnly))),
    barePost: {
      perSecond: spreadOf(rounds.map(({ barePosts }) => perSecond(barePosts))),
      nodeMicros: median(rounds.map(({ barePosts: { micros, requests } }) => micros / requests)),
    },
    tally: steady.tally,
  }
}

type Round = {
  sustained: DeliveryOutcome
  acceptedOnly: DeliveryOutcome
  drainedMs: number
  barePosts: BareOutcome
}

/** In turns, each round beginning with the other one, after a first warm-up of both. */
async function sustain(bench: Bench, database: Client, ports: number[]): Promise<Round[]> {
  const { quick } = bench.options
  const { deliverer, keeper } = bench.senders
  for (const server of [deliverer, keeper]) {
    await deliverOn(bench, server, { warmupMs: quick ? 800 : 6_000, measuredMs: 100 })
  }
  const times = quick ? { warmupMs: 200, measuredMs: 1_500 } : { warmupMs: 1_500, measuredMs: 5_000 }
  const rounds: Round[] = []
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    let drainedMs = Number.NaN
    const outcomes: Partial<Record<RunningServer['name'], DeliveryOutcome>> = {}
    for (const server of round % 2 === 0 ? [deliverer, keeper] : [keeper, deliverer]) {
      const outcome = await deliverOn(bench, server, times)
      if (server === deliverer) drainedMs = (await untilNothingLeft(database)) - outcome.stoppedAt
      outcomes[server.name] = outcome
    }
    const { deliverer: sustained, keeper: acceptedOnly } = outcomes
    if (!sustained || !acceptedOnly) throw new Error('a round has no outcome')
    rounds.push({ sustained, acceptedOnly, drainedMs, barePosts: await postBarely(bench, { ports, ...times }) })
    const rates = [sustained, acceptedOnly].map((outcome) => Math.round(perSecond(outcome)))
    bench.printProgress(`delivery, round ${round + 1}: ${rates[0]}/s delivered, ${rates[1]}/s only accepted`)
  }
  return rounds
}

/** In a new process each time, with all servers stopped. */
async function postBarely(bench: Bench, order: Omit<BarePosts, 'connections'>): Promise<BareOutcome> {
  letRun(bench)
  await using poster = startHelper<BarePosts>(resolve(import.meta.dirname, '../load/bare-post.ts'), 'the bare post')
  return (await poster.ask({ ...order, connections: bench.options.connections })) as BareOutcome // it answers with nothing else
}

type Stretch = Pick<DeliveryLoad, 'warmupMs' | 'measuredMs' | 'requestsPerSecond'>

async function deliverOn(bench: Bench, server: RunningServer, stretch: Stretch): Promise<DeliveryOutcome> {
  const { port, certificate, processes, name } = server
  const { connections } = bench.options
  const load = { port, certificate, processes, connections, isDelivered: name === 'deliverer', ...stretch }
  const takesMs = stretch.warmupMs + stretch.measuredMs
  letRun(bench, server)
  if (!bench.options.quick) await untilIdle(server)
  return whenQuiet(bench, { takesMs }, () => bench.client.deliver(load))
}

const givesUpAfterMs = 30_000

/** Returns when that was, in milliseconds since 1970. */
async function untilNothingLeft(database: Client): Promise<number> {
  const giveUpAt = performance.now() + givesUpAfterMs
  while ((await countLeft(database)) > 0 && performance.now() < giveUpAt) await sleep(2)
  return performance.timeOrigin + performance.now()
}

/** Events that are still due, now or later, and messages that do not say that they were sent. */
async function countLeft(database: Client): Promise<number> {
  const { rows } = await database.query<{ n: string }>(`
    select count(*) as n from deliveries d where due_at is not null or ${outgoingStatus('d')} <> 'Sent'
  `)
  return Number(rows[0]?.n)
}

function flowOf(outcomes: DeliveryOutcome[]): Flow {
  const middle = (read: (outcome: DeliveryOutcome) => number) => median(outcomes.map(read))
  return {
    nodeMicros: middle((outcome) => perRequest(outcome).node),
    postgresMicros: middle((outcome) => perRequest(outcome).postgres),
    memoryBytes: Math.max(...outcomes.map(({ memory }) => memory.now)),
    clientShare: middle(({ clientShare }) => clientShare),
    othersShare: middle(({ othersShare }) => othersShare),
    surprises: outcomes.map((outcome) => surprises(outcome, 200)).filter((words) => words !== undefined),
  }
}
