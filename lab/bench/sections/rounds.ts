import type { Client } from 'pg'
import { countNewMessages, forgetOwed, owingKey } from '../fill.ts'
import type { Outcome } from '../load/run-load.ts'
import type { MessageTraffic } from '../load/traffic.ts'
import { apiKey, type ComparedName, comparedNames, type RunningServer } from '../servers/start.ts'
import { type Latency, latencyOver, median, type Spread, spreadOf } from '../statistics.ts'
import { readBatches } from './batch-size.ts'
import { type Bench, clientMicros, letRun, loadOn, perRequest, perSecond, surprises } from './bench.ts'
import { untilCaughtUp } from './caught-up.ts'
import { type Figures, figuresOf } from './figures.ts'
import { type InsertOutcome, openPlainInsert, type PlainInsert } from './plain-insert.ts'

/** How one server did over all rounds. Latency, CPU time and memory are medians of the rounds. */
type Standing = {
  requestsPerSecond: Spread
  latencyMs: Latency
  nodeMicros: number
  postgresMicros: number
  clientMicros: number
  memoryBytes: number
  clientShare: number
  othersShare: number
  surprises: string[]
}

type Peer = Exclude<ComparedName, 'product'>

export type Rounds = {
  /** All with the same traffic, in which every message has names. */
  standings: Record<ComparedName, Standing>
  /** The product with other traffic. */
  others: Record<OtherTraffic, Standing>
  /** The product's requests a second as a share of the peer's, round by round. */
  ratios: Record<Peer, Spread>
  figures: Record<MessageTraffic, Figures>
  /** The batches of the product, and plain inserts of as many rows. */
  insert: { batchRows: Spread; rowsPerSecond: Spread; postgresMicros: number }
  /** What the product and the naive design acknowledged, and what their databases then held. */
  kept: Record<'product' | 'naive', { acknowledged: number; kept: number }>
}

type OtherTraffic = Exclude<MessageTraffic, 'names'>

/** What has its turn in every round. */
const turns = [...comparedNames, 'plain', 'new', 'owed', 'insert'] as const
type Turn = (typeof turns)[number]
type LoadTurn = Exclude<Turn, 'insert'>

/** New connections make the engine compile some of its code anew; a turn is measured when that is over. */
const turnWarmupMs = (quick: boolean) => (quick ? 300 : 2_000)
/** Before the first round: until the code is compiled and the pools are open. */
const firstWarmupMs = (quick: boolean) => (quick ? 1_000 : 6_000)
/** After a turn the product may do what it has put off, so that it is not done in another one. */
const catchesUpWithinMs = (quick: boolean) => (quick ? 1_000 : 15_000)

type Measured = { loads: Record<LoadTurn, Outcome[]>; inserts: InsertOutcome[]; acknowledged: Record<LoadTurn, number> }

type Context = { bench: Bench; database: Client; insert: PlainInsert; measured: Measured; batchRows: number }

/** Lets every server have its turn in every round, each round beginning with another one. */
export async function runRounds(bench: Bench): Promise<Rounds> {
  const { options, servers, printProgress } = bench
  const { product, naive } = servers
  const heldBefore = { product: await countKept(bench, product), naive: await countKept(bench, naive) }
  letRun(bench, product)
  const context: Context = {
    bench,
    database: await product.connect(),
    insert: await openPlainInsert(product),
    measured: { loads: ofEach(() => []), inserts: [], acknowledged: ofEach(() => 0) },
    batchRows: 0,
  }
  const { measured } = context
  for (const name of comparedNames) {
    await takeLoadTurn(context, name, { warmupMs: firstWarmupMs(options.quick), measuredMs: 100 })
  }
  measured.loads = ofEach(() => []) // those were to warm up
  for (let round = 0; round < options.rounds; round += 1) {
    const times = { warmupMs: turnWarmupMs(options.quick), measuredMs: options.secondsPerTurn * 1_000 }
    for (const n of turns.keys()) {
      const turn = turns[(round + n) % turns.length] ?? 'insert'
      if (turn === 'insert') await takeInsertTurn(context, times)
      else await takeLoadTurn(context, turn, times)
    }
    printProgress(roundLine(round, measured))
  }
  letRun(bench, product)
  await context.insert.end()
  await context.database.end()
  const held = { product: await countKept(bench, product), naive: await countKept(bench, naive) }
  return roundsOf(measured, { product: held.product - heldBefore.product, naive: held.naive - heldBefore.naive })
}

function ofEach<Value>(make: () => Value): Record<LoadTurn, Value> {
  const peers = { fastifyNoop: make(), productNoop: make(), naive: make() }
  return { ...peers, product: make(), plain: make(), new: make(), owed: make() }
}

type Times = { warmupMs: number; measuredMs: number }

async function takeLoadTurn(context: Context, turn: LoadTurn, times: Times): Promise<void> {
  const { bench, database, measured } = context
  const isPeer = turn === 'fastifyNoop' || turn === 'productNoop' || turn === 'naive'
  const server = bench.servers[isPeer ? turn : 'product']
  letRun(bench, server)
  const before = isPeer ? undefined : await readBatches(server)
  if (turn === 'owed') await forgetOwed(database)
  const traffic = isPeer || turn === 'product' ? 'names' : turn
  const key = turn === 'owed' ? owingKey : apiKey
  const outcome = await loadOn(bench, server, { ...times, traffic, apiKey: key })
  measured.loads[turn].push(outcome)
  measured.acknowledged[turn] += outcome.acknowledged
  if (!before) return
  const { batches, rows } = await readBatches(server)
  if (turn === 'product') context.batchRows = Math.round((rows - before.rows) / (batches - before.batches))
  await untilCaughtUp(database, catchesUpWithinMs(bench.options.quick))
}

/** With the batches of the product's last turn, and with its Node stopped. */
async function takeInsertTurn({ bench, insert, measured, batchRows }: Context, times: Times): Promise<void> {
  const { product } = bench.servers
  letRun(bench, product)
  product.pause(true)
  measured.inserts.push(await insert.run(batchRows, times))
}

async function countKept(bench: Bench, server: RunningServer): Promise<number> {
  letRun(bench, server)
  const database = await server.connect()
  const count = await countNewMessages(database)
  await database.end()
  return count
}

function roundLine(round: number, { loads, inserts }: Measured): string {
  const rates = Object.entries(loads).map(([name, outcomes]) => {
    const outcome = outcomes[round]
    return `${name} ${outcome ? Math.round(perSecond(outcome)) : '–'}/s`
  })
  return `round ${round + 1}: ${rates.join(', ')}, batches of ${inserts[round]?.batchRows}`
}

function roundsOf({ loads, inserts, acknowledged }: Measured, kept: Record<'product' | 'naive', number>): Rounds {
  const against = (peer: Peer) =>
    spreadOf(
      loads.product.map((outcome, round) => {
        const other = loads[peer][round]
        return other ? perSecond(outcome) / perSecond(other) : Number.NaN
      }),
    )
  const figures = (product: Outcome[]) => figuresOf({ product, noop: loads.productNoop, insert: inserts })
  const { product, plain, new: ofNew, owed, naive } = acknowledged
  return {
    standings: {
      fastifyNoop: standing(loads.fastifyNoop),
      productNoop: standing(loads.productNoop),
      product: standing(loads.product),
      naive: standing(loads.naive),
    },
    others: { plain: standing(loads.plain), new: standing(loads.new), owed: standing(loads.owed) },
    ratios: { fastifyNoop: against('fastifyNoop'), productNoop: against('productNoop'), naive: against('naive') },
    figures: {
      names: figures(loads.product),
      plain: figures(loads.plain),
      new: figures(loads.new),
      owed: figures(loads.owed),
    },
    insert: {
      batchRows: spreadOf(inserts.map(({ batchRows }) => batchRows)),
      rowsPerSecond: spreadOf(inserts.map(({ rows, seconds }) => rows / seconds)),
      postgresMicros: median(inserts.map(({ postgresMicros }) => postgresMicros)),
    },
    kept: {
      product: { acknowledged: product + plain + ofNew + owed, kept: kept.product },
      naive: { acknowledged: naive, kept: kept.naive },
    },
  }
}

function standing(outcomes: Outcome[]): Standing {
  const middle = (read: (outcome: Outcome) => number) => median(outcomes.map(read))
  return {
    requestsPerSecond: spreadOf(outcomes.map(perSecond)),
    latencyMs: latencyOver(outcomes),
    nodeMicros: middle((outcome) => perRequest(outcome).node),
    postgresMicros: middle((outcome) => perRequest(outcome).postgres),
    clientMicros: middle(clientMicros),
    memoryBytes: Math.max(...outcomes.map(({ memory }) => memory.now)),
    clientShare: middle(({ clientShare }) => clientShare),
    othersShare: middle(({ othersShare }) => othersShare),
    surprises: outcomes.map((outcome) => surprises(outcome, 200)).filter((words) => words !== undefined),
  }
}
