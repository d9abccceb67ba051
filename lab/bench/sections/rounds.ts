import { countNewMessages } from '../fill.ts'
import type { Outcome } from '../load/run-load.ts'
import { type ComparedName, comparedNames, type RunningServer } from '../servers/start.ts'
import { type Latency, latencyOver, median, type Spread, spreadOf } from '../statistics.ts'
import { type Bench, loadOn, perRequest, perSecond, surprises } from './bench.ts'

/** How one server did over all rounds. Latency, CPU time and memory are medians of the rounds. */
type Standing = {
  requestsPerSecond: Spread
  latencyMs: Latency
  nodeMicros: number
  postgresMicros: number
  memoryBytes: number
  clientShare: number
  othersShare: number
  surprises: string[]
  /** What it acknowledged, and what its database then held; undefined for those that keep nothing. */
  acknowledged: number
  kept: number | undefined
}

type Peer = Exclude<ComparedName, 'product'>

export type Rounds = {
  standings: Record<ComparedName, Standing>
  /** The product's requests a second as a share of the peer's, round by round. */
  ratios: Record<Peer, Spread>
}

/** New connections make the engine compile some of its code anew; a turn is measured when that is over. */
const turnWarmupMs = (quick: boolean) => (quick ? 300 : 2_000)
/** Before the first round: until the code is compiled and the pools are open. */
const firstWarmupMs = (quick: boolean) => (quick ? 1_000 : 8_000)

type Measured = { outcomes: Outcome[]; acknowledged: number }

/** Lets every server have its turn in every round, each round beginning with another one. */
export async function runRounds(bench: Bench): Promise<Rounds> {
  const { options, servers, printProgress } = bench
  const heldBefore = await forEach(async (name) => countKept(servers[name]))
  const measured = await forEach(async (name): Promise<Measured> => {
    const { acknowledged } = await loadOn(bench, servers[name], {
      warmupMs: firstWarmupMs(options.quick),
      measuredMs: 100,
    })
    return { outcomes: [], acknowledged }
  })
  for (let round = 0; round < options.rounds; round += 1) {
    for (const turn of comparedNames.keys()) {
      const name = comparedNames[(round + turn) % comparedNames.length] ?? 'fastifyNoop'
      const measuredMs = options.secondsPerTurn * 1_000
      const outcome = await loadOn(bench, servers[name], { warmupMs: turnWarmupMs(options.quick), measuredMs })
      measured[name].outcomes.push(outcome)
      measured[name].acknowledged += outcome.acknowledged
    }
    printProgress(roundLine(round, measured))
  }
  const standings = await forEach(async (name) => {
    const held = await countKept(servers[name])
    return standing(measured[name], held === undefined ? undefined : held - (heldBefore[name] ?? 0))
  })
  return { standings, ratios: ratios(measured) }
}

async function forEach<Value>(make: (name: ComparedName) => Promise<Value>): Promise<Record<ComparedName, Value>> {
  return {
    fastifyNoop: await make('fastifyNoop'),
    productNoop: await make('productNoop'),
    product: await make('product'),
    naive: await make('naive'),
  }
}

async function countKept({ name, connect }: RunningServer): Promise<number | undefined> {
  if (name !== 'product' && name !== 'naive') return undefined
  const database = await connect()
  const count = await countNewMessages(database)
  await database.end()
  return count
}

function roundLine(round: number, measured: Record<ComparedName, Measured>): string {
  const rates = comparedNames.map((name) => {
    const outcome = measured[name].outcomes[round]
    return `${name} ${outcome ? Math.round(perSecond(outcome)) : '–'}/s`
  })
  return `round ${round + 1}: ${rates.join(', ')}`
}

function standing({ outcomes, acknowledged }: Measured, kept: number | undefined): Standing {
  const middle = (read: (outcome: Outcome) => number) => median(outcomes.map(read))
  return {
    requestsPerSecond: spreadOf(outcomes.map(perSecond)),
    latencyMs: latencyOver(outcomes),
    nodeMicros: middle((outcome) => perRequest(outcome).node),
    postgresMicros: middle((outcome) => perRequest(outcome).postgres),
    memoryBytes: Math.max(...outcomes.map(({ memory }) => memory.now)),
    clientShare: middle(({ clientShare }) => clientShare),
    othersShare: middle(({ othersShare }) => othersShare),
    surprises: outcomes.map((outcome) => surprises(outcome, 200)).filter((words) => words !== undefined),
    acknowledged,
    kept,
  }
}

function ratios(measured: Record<ComparedName, Measured>): Record<Peer, Spread> {
  const against = (peer: Peer) =>
    spreadOf(
      measured.product.outcomes.map((outcome, round) => {
        const other = measured[peer].outcomes[round]
        return other ? perSecond(outcome) / perSecond(other) : Number.NaN
      }),
    )
  return { fastifyNoop: against('fastifyNoop'), productNoop: against('productNoop'), naive: against('naive') }
}
