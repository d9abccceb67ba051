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

/** A map with at most so many entries: beyond that, the one that was set longest ago is dropped. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number
  /** Goes on from where the oldest was found: from the beginning it would pass by all that was deleted. */
  #keys = this.keys()
  #oldest: { key: Key } | undefined

  constructor(most: number) {
    super()
    this.#most = most
  }

  /** The entry is the newest afterwards, also if it was there before. */
  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const oldest = this.size > this.#most ? this.oldest() : undefined
    if (oldest) this.delete(oldest.key)
    return this
  }

  override delete(key: Key): boolean {
    if (this.#oldest?.key === key) this.#oldest = undefined
    return super.delete(key)
  }

  override clear(): void {
    super.clear()
    this.#oldest = undefined
  }

  /** The entry that was set longest ago. */
  oldest(): { key: Key } | undefined {
    if (this.#oldest) return this.#oldest
    let next = this.#keys.next()
    if (next.done) {
      this.#keys = this.keys()
      next = this.#keys.next()
    }
    this.#oldest = next.done ? undefined : { key: next.value }
    return this.#oldest
  }

  /** An entry that is found keeps its age. */
  override getOrInsertComputed(key: Key, compute: (key: Key) => Value): Value {
    const found = this.get(key)
    if (found !== undefined || this.has(key)) return found as Value // present, so it is a value
    const value = compute(key)
    this.set(key, value)
    return value
  }
}
