import { makeCounts, type QuarterSums } from './quarter-store.ts'

/** Sums are kept by quarter of an hour: the days of every zone begin at one. */
const quarterMs = 900_000

export function quarterOf(atMs: number): number {
  return Math.floor(atMs / quarterMs) * quarterMs
}

export type Sums = {
  of: (atMs: number, channel: number) => QuarterSums
  all: () => QuarterSums[]
}

/** Gathers what a batch adds. */
export function openSums(): Sums {
  const sums = new Map<string, QuarterSums>()
  return {
    of: (atMs, channel) => {
      const quarter = quarterOf(atMs)
      const key = `${quarter} ${channel}`
      const found = sums.get(key) ?? emptySums(quarter, channel)
      sums.set(key, found)
      return found
    },
    all: () => [...sums.values()],
  }
}

function emptySums(quarter: number, channel: number): QuarterSums {
  return {
    quarter,
    channel,
    ...makeCounts(() => 0),
    spent: 0,
    responses: [],
    deliveryMs: [],
    botKeys: [],
    personKeys: [],
    wishKeys: [],
    answerKeys: [],
    answerMarks: [],
  }
}

/** The largest number that a column holds; a reply may come after years. */
const most = 2_147_483_647

/** Times are the beginnings of transactions, so a reply may seem to come before its message. */
export function tenthsBetween(fromMs: number, toMs: number): number {
  return Math.min(most, Math.max(0, Math.floor((toMs - fromMs) / 100)))
}

export function msBetween(fromMs: number, toMs: number): number {
  return Math.min(most, Math.max(0, toMs - fromMs))
}
