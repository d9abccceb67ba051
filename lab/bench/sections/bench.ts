import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadClient } from '../load/client.ts'
import type { Load, Outcome } from '../load/run-load.ts'
import { readMachineCpu } from '../measure.ts'
import type { Options } from '../options.ts'
import { apiKey, type ComparedName, type RunningServer, type SenderName } from '../servers/start.ts'

/** What every section of the benchmark is measured on. */
export type Bench = {
  client: LoadClient
  servers: Record<ComparedName, RunningServer>
  /** For the messages that leave. */
  senders: Record<SenderName, RunningServer>
  /** Started when its turn has come: it has a model in memory. */
  startAnswerer: () => Promise<RunningServer>
  /** For what a section starts itself: ended by the section, or else with everything. */
  openStack: () => AsyncDisposableStack
  options: Options
  /** How long we may still wait for other programs to let us measure. */
  patience: { leftMs: number }
  /** Says what is going on while one waits. */
  printProgress: (line: string) => void
}

type Stretch = Partial<Load> & Pick<Load, 'warmupMs' | 'measuredMs'> & { until?: Promise<unknown> }

/**
 * From now on these run and all others are stopped: what a server puts off until it is idle must not be done while
 * another is measured.
 */
export function letRun({ servers, senders }: Pick<Bench, 'servers' | 'senders'>, ...running: RunningServer[]): void {
  for (const server of [...Object.values(servers), ...Object.values(senders)]) {
    if (!running.includes(server)) server.pause()
  }
  for (const server of running) server.resume()
}

/** More than this share of the machine used by others, and a figure says more about them than about us. */
const disturbedFrom = 0.08

/** One stretch of load on one server: new messages as fast as it takes them, unless told otherwise. */
export async function loadOn(bench: Bench, server: RunningServer, stretch: Stretch): Promise<Outcome> {
  const { port, certificate, processes } = server
  const { until, ...load } = stretch
  const { connections } = bench.options
  const order = { port, certificate, processes, apiKey, connections, traffic: 'plain' as const, ...load }
  letRun(bench, server)
  let acknowledged = 0
  const tries = until ? 1 : Number.POSITIVE_INFINITY
  const outcome = await whenQuiet(bench, { takesMs: load.warmupMs + load.measuredMs, tries }, async () => {
    const tried = await bench.client.load(order, until)
    acknowledged += tried.acknowledged
    return tried
  })
  return { ...outcome, acknowledged }
}

/** While there is patience left, waits for a quiet machine before it measures, and measures again what was disturbed. */
export async function whenQuiet<Measured extends { othersShare: number }>(
  { patience }: Bench,
  { takesMs, tries = Number.POSITIVE_INFINITY }: { takesMs: number; tries?: number },
  measure: () => Promise<Measured>,
): Promise<Measured> {
  for (let tried = 1; ; tried += 1) {
    const startedAt = performance.now()
    await untilQuiet(patience.leftMs)
    patience.leftMs -= performance.now() - startedAt
    const measured = await measure()
    if (measured.othersShare < disturbedFrom || patience.leftMs <= 0 || tried >= tries) return measured
    patience.leftMs -= takesMs
  }
}

async function untilQuiet(withinMs: number): Promise<void> {
  const sampleMs = 250
  for (let waited = 0; waited < withinMs; waited += sampleMs) {
    const before = readMachineCpu()
    await sleep(sampleMs)
    const used = (readMachineCpu() - before) / 1_000 / sampleMs / availableParallelism()
    if (!(used >= disturbedFrom)) return
  }
}

export function perSecond({ requests, seconds }: Pick<Outcome, 'requests' | 'seconds'>): number {
  return requests / seconds
}

/** CPU time that one request took, in microseconds. */
export function perRequest({ cpu, requests }: Pick<Outcome, 'cpu' | 'requests'>): { node: number; postgres: number } {
  return { node: cpu.node / requests, postgres: cpu.postgres / requests }
}

/** CPU time that the load generator took for one request, in microseconds. */
export function clientMicros({ clientShare, seconds, requests }: Outcome): number {
  return (clientShare * seconds * 1_000_000) / requests
}

/** Everything that was not answered with `status`, in words; undefined if all was. */
export function surprises(
  { statuses, dropped }: Pick<Outcome, 'statuses' | 'dropped'>,
  status: number,
): string | undefined {
  const others = Object.entries(statuses).filter(([answered]) => Number(answered) !== status)
  const words = others.map(([answered, times]) => `${times} × ${answered}`)
  if (dropped > 0) words.push(`${dropped} connections dropped`)
  return words.length === 0 ? undefined : words.join(', ')
}
