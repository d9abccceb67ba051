import type { Counts, Distribution } from '../../platform/metrics/counts.ts'

/** One line of a scrape; `metricName` where it differs from the metric's, as `_sum` of a histogram. */
export type Sample = { labels?: Record<string, string | number>; value: number; metricName?: string }

/** One metric of `/metrics`. `read` is called at each scrape; without samples the metric is absent. */
export type Metric = {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  help: string
  /** With several processes it is shown for each, with its number as a label; the others are added up. */
  isPerProcess?: true
  read: () => Sample[] | Promise<Sample[]>
}

/** The samples of counts by one label. */
export function byLabel(name: string, counts: Pick<Counts<string>, 'values'>): Sample[] {
  return [...counts.values()].map(([label, value]) => ({ labels: { [name]: label.replaceAll(' ', '_') }, value }))
}

/** The samples of a histogram: Prometheus wants the values up to each bound, all smaller ones included. */
export function histogram(
  name: string,
  labels: Record<string, string | number>,
  { bounds, counts, sum }: Distribution,
): Sample[] {
  let below = 0
  const buckets = [...counts].map((count, at) => {
    below += count
    return { metricName: `${name}_bucket`, labels: { ...labels, le: String(bounds[at] ?? '+Inf') }, value: below }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: below },
  ]
}
