import { perRequest, perSecond } from '../sections/bench.ts'
import { median, spreadOf } from '../statistics.ts'
import type { Table } from '../table.ts'
import type { Direction, Stretch } from './flows.ts'

/** What each version came to in one round, by its name; the first is what the others are compared with. */
export type Round = Map<string, Stretch>
export type Measured = Record<Direction, Round[]>

/** The figures that are compared, each of one stretch. */
const figures = [perSecond, (one: Stretch) => perRequest(one).node, (one: Stretch) => perRequest(one).postgres]

/** Ratios are computed within a round. */
export function report(measured: Measured, traffic: string): Table {
  const stretches = [...measured.in, ...measured.out].flatMap((round) => [...round.values()])
  const others = 100 * median(stretches.map(({ othersShare }) => othersShare))
  return {
    title: 'Versions side by side',
    note: `Medians of the rounds, and the lowest and highest ratio; traffic in: ${traffic}. Other programs used ${others.toFixed(0)} % of the machine.`,
    head: ['messages', 'per second', 'Node µs', 'PostgreSQL µs'],
    rows: [...rowsOf('in', measured.in), ...rowsOf('out', measured.out)],
  }
}

function rowsOf(direction: Direction, rounds: Round[]): string[][] {
  const [first = '', ...rest] = rounds[0]?.keys() ?? []
  const valuesOf = (read: (one: Stretch) => number, version: string) =>
    rounds.map((round) => {
      const one = round.get(version)
      return one ? read(one) : Number.NaN
    })
  const row = (version: string) => [
    `${direction}, ${version}`,
    ...figures.map((read) => median(valuesOf(read, version)).toFixed(0)),
  ]
  const ratios = (version: string) => [
    `${direction}, ${version} / ${first}`,
    ...figures.map((read) => {
      const before = valuesOf(read, first)
      const { median: middle, min, max } = spreadOf(valuesOf(read, version).map((value, n) => value / (before[n] ?? 0)))
      return `${middle.toFixed(3)} (${min.toFixed(3)} to ${max.toFixed(3)})`
    }),
  ]
  return rounds.length === 0 ? [] : [...[first, ...rest].map(row), ...rest.map(ratios)]
}
