import { addThrottledAccount } from '../fill.ts'
import type { Load, Outcome } from '../load/run-load.ts'
import { type CheapKind, cheapKinds } from '../load/traffic.ts'
import { median, type Spread, spreadOf } from '../statistics.ts'
import { type Bench, letRun, loadOn, perRequest, perSecond, surprises } from './bench.ts'

/** What is compared: a message that is accepted, and what must cost less. */
type Kind = 'plain' | CheapKind

/** What one kind of answer costs the product. */
export type AnswerCost = {
  kind: Kind
  status: number
  requestsPerSecond: Spread
  nodeMicros: number
  postgresMicros: number
  surprises: string[]
}

const throttledKey = 'a-key-that-is-always-throttled'

const expected: Record<Kind, number> = {
  plain: 200,
  duplicate: 200,
  'missing body': 400,
  'wrong key': 401,
  throttled: 429,
}

/** Compares what must be cheap with what is accepted: nobody may keep us busier by being refused. */
export async function compareAnswers(bench: Bench): Promise<AnswerCost[]> {
  const { options, servers, printProgress } = bench
  letRun(bench, servers.product)
  const database = await servers.product.connect()
  await addThrottledAccount(database, throttledKey)
  await database.end()

  const outcomes = (['plain', ...cheapKinds] as const).map((kind) => ({ kind, outcomes: [] as Outcome[] }))
  const rounds = options.quick ? 1 : 3
  for (let round = 0; round < rounds; round += 1) {
    for (const answer of outcomes) {
      const stretch: Partial<Load> = { traffic: answer.kind }
      if (answer.kind === 'throttled') stretch.apiKey = throttledKey
      const times = options.quick ? { warmupMs: 300, measuredMs: 800 } : { warmupMs: 500, measuredMs: 2_000 }
      answer.outcomes.push(await loadOn(bench, servers.product, { ...stretch, ...times }))
    }
    printProgress(`answers, round ${round + 1} of ${rounds}`)
  }
  return outcomes.map(({ kind, outcomes: measured }) => costOf(kind, measured))
}

function costOf(kind: Kind, outcomes: Outcome[]): AnswerCost {
  const status = expected[kind]
  return {
    kind,
    status,
    requestsPerSecond: spreadOf(outcomes.map(perSecond)),
    nodeMicros: median(outcomes.map((outcome) => perRequest(outcome).node)),
    postgresMicros: median(outcomes.map((outcome) => perRequest(outcome).postgres)),
    surprises: outcomes.map((outcome) => surprises(outcome, status)).filter((words) => words !== undefined),
  }
}
