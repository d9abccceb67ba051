import { perRequest } from '../sections/bench.ts'
import { apiKey as ownersKey, type RunningServer } from '../servers/start.ts'
import { median } from '../statistics.ts'
import type { LoadClient } from './client.ts'
import type { Outcome } from './run-load.ts'

/** New messages at a steady rate, whether or not earlier ones are answered. */
export async function sendSteadily(
  load: LoadClient,
  { port, certificate, processes }: RunningServer,
  { rate, seconds, apiKey = ownersKey }: { rate: number; seconds: number; apiKey?: string },
): Promise<Outcome> {
  const target = { port, certificate, processes, apiKey, connections: 64, traffic: 'plain' as const }
  return load.load({ ...target, requestsPerSecond: rate, warmupMs: 2_000, measuredMs: seconds * 1_000 })
}

export function describeSteady(outcomes: Outcome[]): string {
  const of = (read: (one: Outcome) => number, digits: number) => median(outcomes.map(read)).toFixed(digits)
  const cpu = `${of((one) => perRequest(one).node, 0)} and ${of((one) => perRequest(one).postgres, 0)} µs of CPU`
  return `p50 ${of(({ latency }) => latency.p50, 1)} ms, p99 ${of(({ latency }) => latency.p99, 1)} ms, ${cpu} a message`
}
