/** Concurrent callers share one call of `load`, and its result is kept for `ms` after it has settled. */
export function cacheFor<T>(ms: number, load: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined
  let expiresAt = 0
  return () => {
    if (cached && performance.now() < expiresAt) return cached
    expiresAt = Number.POSITIVE_INFINITY
    cached = load().finally(() => {
      expiresAt = performance.now() + ms
    })
    return cached
  }
}
