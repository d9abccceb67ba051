/** Looks for a parent that is gone, which nobody is told of. */
const lookEveryMs = 500

/** Calls `end` once: at SIGINT, SIGTERM or SIGHUP, or when the process that started this one is gone, as npm when it was killed. */
export function endWhenAsked(end: () => unknown): void {
  const parent = process.ppid
  let isEnding = false
  const endOnce = () => {
    if (!isEnding) end()
    isEnding = true
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, endOnce)
  setInterval(() => process.ppid !== parent && endOnce(), lookEveryMs).unref()
}
