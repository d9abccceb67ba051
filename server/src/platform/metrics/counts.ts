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
