import { percentilesOf } from '../common/percentiles.ts'

export type Latency = { count: number; p50: number; p95: number; p99: number; max: number }

export function latencyOf(times: readonly number[]): Latency {
  const at = percentilesOf(times)
  return { count: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}
