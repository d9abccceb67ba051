import { percentilesOf } from '../common/percentiles.ts'

/** What a figure was over the rounds: the middle one, and how far the others were from it. */
export type Spread = { median: number; min: number; max: number }

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: medianOfSorted(sorted), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN }
}

export function median(values: readonly number[]): number {
  return medianOfSorted(values.toSorted((a, b) => a - b))
}

function medianOfSorted(sorted: readonly number[]): number {
  const middle = sorted.length >> 1
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[middle]]
  return (low + high) / 2
}

export type Latency = { p50: number; p90: number; p99: number; max: number }

/** Of response times in milliseconds. */
export function latencyOf(times: Float64Array): Latency {
  const at = percentilesOf(times)
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) }
}

/** Of several stretches: the middle of each percentile, and the worst of all. */
export function latencyOver(outcomes: readonly { latency: Latency }[]): Latency {
  const middle = (read: (latency: Latency) => number) => median(outcomes.map(({ latency }) => read(latency)))
  return {
    p50: middle(({ p50 }) => p50),
    p90: middle(({ p90 }) => p90),
    p99: middle(({ p99 }) => p99),
    max: Math.max(...outcomes.map(({ latency }) => latency.max)),
  }
}
