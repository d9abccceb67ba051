/** Counts by key. A key that has come to zero is not kept. */
export type Tally = {
  of: (key: string) => number
  /** The count of all keys together. */
  total: () => number
  add: (key: string, count: number) => void
}

export function openTally(): Tally {
  const counts = new Map<string, number>()
  let total = 0
  return {
    of: (key) => counts.get(key) ?? 0,
    total: () => total,
    add: (key, count) => {
      total += count
      const now = (counts.get(key) ?? 0) + count
      if (now > 0) counts.set(key, now)
      else counts.delete(key)
    },
  }
}
