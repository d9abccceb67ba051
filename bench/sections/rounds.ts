import { type Contestant, type ContestantName, contestantNames } from '../contestants/start.ts'
import { countNewMessages } from '../fill.ts'
import type { Outcome } from '../load/run-load.ts'
import { type Latency, latencyOver, median, type Spread, spreadOf } from '../statistics.ts'
import { loadOn, perRequest, perSecond, type Stage, surprises } from './stage.ts'

/** How one contestant did over all rounds. Latency, CPU time and memory are medians of the rounds. */
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

type Peer = Exclude<ContestantName, 'product'>

export type Rounds = {
  standings: Record<ContestantName, Standing>
  /** The product's requests a second as a share of the peer's, round by round. */
  ratios: Record<Peer, Spread>
}

/** New connections make the engine compile some of its code anew; a turn is measured when that is over. */
const turnWarmupMs = (quick: boolean) => (quick ? 300 : 2_000)
/** Before the first round: until the code is compiled and the pools are open. */
const firstWarmupMs = (quick: boolean) => (quick ? 1_000 : 8_000)

type Played = { outcomes: Outcome[]; acknowledged: number }

/** Lets every contestant have its turn in every round, each round beginning with another one. */
export async function runRounds(stage: Stage): Promise<Rounds> {
  const { options, contestants, tell } = stage
  const heldBefore = await forEach(async (name) => countKept(contestants[name]))
  const played = await forEach(async (name): Promise<Played> => {
    const { acknowledged } = await loadOn(stage, contestants[name], {
      warmupMs: firstWarmupMs(options.quick),
      measuredMs: 100,
    })
    return { outcomes: [], acknowledged }
  })
  for (let round = 0; round < options.rounds; round += 1) {
    for (const turn of contestantNames.keys()) {
      const name = contestantNames[(round + turn) % contestantNames.length] ?? 'bare'
      const measuredMs = options.secondsPerTurn * 1_000
      const outcome = await loadOn(stage, contestants[name], { warmupMs: turnWarmupMs(options.quick), measuredMs })
      played[name].outcomes.push(outcome)
      played[name].acknowledged += outcome.acknowledged
    }
    tell(roundLine(round, played))
  }
  const standings = await forEach(async (name) => {
    const held = await countKept(contestants[name])
    return standing(played[name], held === undefined ? undefined : held - (heldBefore[name] ?? 0))
  })
  return { standings, ratios: ratios(played) }
}

async function forEach<Value>(make: (name: ContestantName) => Promise<Value>): Promise<Record<ContestantName, Value>> {
  return {
    bare: await make('bare'),
    dressed: await make('dressed'),
    product: await make('product'),
    naive: await make('naive'),
  }
}

async function countKept({ name, connect }: Contestant): Promise<number | undefined> {
  if (name !== 'product' && name !== 'naive') return undefined
  const database = await connect()
  const count = await countNewMessages(database)
  await database.end()
  return count
}

function roundLine(round: number, played: Record<ContestantName, Played>): string {
  const rates = contestantNames.map((name) => {
    const outcome = played[name].outcomes[round]
    return `${name} ${outcome ? Math.round(perSecond(outcome)) : '–'}/s`
  })
  return `round ${round + 1}: ${rates.join(', ')}`
}

function standing({ outcomes, acknowledged }: Played, kept: number | undefined): Standing {
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

function ratios(played: Record<ContestantName, Played>): Record<Peer, Spread> {
  const against = (peer: Peer) =>
    spreadOf(
      played.product.outcomes.map((outcome, round) => {
        const other = played[peer].outcomes[round]
        return other ? perSecond(outcome) / perSecond(other) : Number.NaN
      }),
    )
  return { bare: against('bare'), dressed: against('dressed'), naive: against('naive') }
}
