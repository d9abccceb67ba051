import { perRequest, perSecond } from '../sections/bench.ts'
import { median, spreadOf } from '../statistics.ts'
import type { Table } from '../table.ts'
import type { Direction, Stretch } from './flows.ts'

export type Round = { before: Stretch; after: Stretch }
export type Measured = Record<Direction, Round[]>

/** The figures that are compared, each of one stretch. */
const figures = [perSecond, (one: Stretch) => perRequest(one).node, (one: Stretch) => perRequest(one).postgres]

/** Ratios are computed within a round. */
export function report(measured: Measured): Table {
  const stretches = [...measured.in, ...measured.out].flatMap(({ before, after }) => [before, after])
  const others = 100 * median(stretches.map(({ othersShare }) => othersShare))
  return {
    title: 'Two versions side by side',
    note: `Medians of the rounds, and the lowest and highest ratio. Other programs used ${others.toFixed(0)} % of the machine.`,
    head: ['messages', 'per second', 'Node µs', 'PostgreSQL µs'],
    rows: [...rowsOf('in', measured.in), ...rowsOf('out', measured.out)],
  }
}

function rowsOf(direction: Direction, rounds: Round[]): string[][] {
  if (rounds.length === 0) return []
  const row = (version: keyof Round) =>
    figures.map((read) => median(rounds.map((one) => read(one[version]))).toFixed(0))
  const ratios = figures.map((read) => {
    const { median: middle, min, max } = spreadOf(rounds.map(({ before, after }) => read(after) / read(before)))
    return `${middle.toFixed(3)} (${min.toFixed(3)} to ${max.toFixed(3)})`
  })
  return [
    [`${direction}, before`, ...row('before')],
    [`${direction}, after`, ...row('after')],
    [`${direction}, after / before`, ...ratios],
  ]
}
