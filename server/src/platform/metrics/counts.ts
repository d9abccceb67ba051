/** Counts by one label. */
export type Counts<Label extends string> = {
  add: (label: Label) => void
  values: () => Iterable<[label: string, count: number]>
}

/** `known` are there from the start with 0: the first occurrence of one that is not there shows no increase. */
export function openCounts<Label extends string>(known: Label[]): Counts<Label> {
  const counts = new Map<string, number>(known.map((label) => [label, 0]))
  return {
    add: (label) => void counts.set(label, (counts.get(label) ?? 0) + 1),
    values: () => counts,
  }
}

/** How often values fell below each bound, and their sum. */
export type Distribution = {
  readonly bounds: readonly number[]
  /** The number of values for each bound: up to it and above the one before; at last those above all bounds. */
  readonly counts: Float64Array
  sum: number
}

export function openDistribution(bounds: readonly number[]): Distribution {
  return { bounds, counts: new Float64Array(bounds.length + 1), sum: 0 }
}

/** Runs on the hot path: most values fall below one of the first bounds, where a loop is faster than a search. */
export function observe(distribution: Distribution, value: number): void {
  const { bounds, counts } = distribution
  let at = 0
  while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1
  counts[at] = (counts[at] ?? 0) + 1
  distribution.sum += value
}
