import { availableParallelism } from 'node:os'
import type { Outcome } from '../load/run-load.ts'
import { type Spread, spreadOf } from '../statistics.ts'
import { clientMicros, perRequest, perSecond } from './bench.ts'
import type { InsertOutcome } from './plain-insert.ts'

/** Figures of the product that mean the same on every processor: each is a ratio of what was measured in one round. */
export type Figures = {
  /** Node's CPU time of a message, of that of the product no-op. */
  nodeOfNoop: Spread
  /** PostgreSQL's CPU time of a message, of that of a row of a plain insert. */
  postgresOfInsert: Spread
  /** Messages a second, of those that the CPU time of one allows on this machine. */
  ofBound: Spread
}

type Measured = { product: Outcome[]; noop: Outcome[]; insert: InsertOutcome[] }

export function figuresOf({ product, noop, insert }: Measured): Figures {
  const each = (read: (outcome: Outcome, round: number) => number | undefined) =>
    spreadOf(product.map((outcome, round) => read(outcome, round) ?? Number.NaN))
  return {
    nodeOfNoop: each((outcome, round) => {
      const other = noop[round]
      return other && perRequest(outcome).node / perRequest(other).node
    }),
    postgresOfInsert: each((outcome, round) => {
      const other = insert[round]
      return other && perRequest(outcome).postgres / other.postgresMicros
    }),
    ofBound: each((outcome) => perSecond(outcome) / boundOf(outcome)),
  }
}

/**
 * How many requests a second there can be at most: Node has one thread for them, and Node, PostgreSQL and the load generator
 * share the cores.
 */
function boundOf(outcome: Outcome): number {
  const { node, postgres } = perRequest(outcome)
  return 1_000_000 * Math.min(1 / node, availableParallelism() / (node + postgres + clientMicros(outcome)))
}
