/** A map with at most so many entries: beyond that, the one that was set longest ago is dropped. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  /** The entry is the newest afterwards, also if it was there before. */
  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#most) for (const oldest of this.keys().take(1)) this.delete(oldest)
    return this
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
