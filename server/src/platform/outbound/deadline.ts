type Deadline = Disposable & { readonly signal: AbortSignal }

/** A limit in time: its signal aborts after `ms` with the error of `late`, or before that with `outer`. */
export function startDeadline(ms: number, late: () => Error, outer?: AbortSignal): Deadline {
  const controller = new AbortController()
  const follow = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => controller.abort(late()), ms)
  if (outer?.aborted) follow()
  else outer?.addEventListener('abort', follow, { once: true })
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', follow)
    },
  }
}
