import { cacheFor } from '../../platform/cache-for.ts'
import type { Metric, Sample } from './metric.ts'

/** The samples of one process, by metric. */
export type ProcessSamples = Record<string, Sample[]>

/** A process whose samples are asked for at a scrape; another `id` with the same index has replaced it. */
export type SampledProcess = { id: number; index: number; read: () => Promise<ProcessSamples> }

export async function readMetrics(metrics: Metric[]): Promise<ProcessSamples> {
  const read = await Promise.all(metrics.map(async ({ name, read }) => [name, await read()] as const))
  return Object.fromEntries(read)
}

/** All metrics of one scrape are read together. */
const oneScrapeMs = 100

/**
 * The metrics of several processes as one. Counters and histograms are added up, also with those of processes that have
 * ended, as far as they were scraped: a sum that falls would look like a restart of everything. Of gauges the sum is
 * shown, or one sample for each process. A process that does not answer counts with what it reported last.
 */
export function mergedMetrics(definitions: Metric[], processes: () => SampledProcess[]): Metric[] {
  const known = new Map<number, { index: number; reported: ProcessSamples }>()
  const ended = new Map<string, Sample[]>()

  async function read(): Promise<Map<string, Sample[]>> {
    const running = processes()
    await Promise.all(
      running.map(async ({ id, index, read }) => {
        const reported = await read().catch(() => known.get(id)?.reported)
        if (reported) known.set(id, { index, reported })
      }),
    )
    for (const [id, { reported }] of known) {
      if (running.some((one) => one.id === id)) continue
      known.delete(id)
      for (const { name, type } of definitions) {
        if (type !== 'gauge') ended.set(name, addUp([ended.get(name) ?? [], reported[name] ?? []]))
      }
    }
    return new Map(definitions.map((metric) => [metric.name, merge(metric)]))
  }

  function merge({ name, isPerProcess }: Metric): Sample[] {
    const all = [...known.values()]
    if (!isPerProcess) return addUp([ended.get(name) ?? [], ...all.map(({ reported }) => reported[name] ?? [])])
    return all.flatMap(({ index, reported }) =>
      (reported[name] ?? []).map((sample) => ({ ...sample, labels: { ...sample.labels, process: index } })),
    )
  }

  const snapshot = cacheFor(oneScrapeMs, read)
  return definitions.map((metric) => ({ ...metric, read: async () => (await snapshot()).get(metric.name) ?? [] }))
}

function addUp(reports: Sample[][]): Sample[] {
  const sums = new Map<string, Sample>()
  for (const sample of reports.flat()) {
    const key = JSON.stringify([sample.metricName, sample.labels])
    const value = (sums.get(key)?.value ?? 0) + sample.value
    sums.set(key, { ...sample, value })
  }
  return [...sums.values()]
}
