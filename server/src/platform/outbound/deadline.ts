type Deadline = Disposable & { readonly signal: AbortSignal }

/** Its signal aborts after `ms` with the error of `timeoutError`, or before that when `outer` aborts. */
export function startDeadline(ms: number, timeoutError: () => Error, outer?: AbortSignal): Deadline {
  const controller = new AbortController()
  const abortWithOuter = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => controller.abort(timeoutError()), ms)
  if (outer?.aborted) abortWithOuter()
  else outer?.addEventListener('abort', abortWithOuter, { once: true })
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abortWithOuter)
    },
  }
}
