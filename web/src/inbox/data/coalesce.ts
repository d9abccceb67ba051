/**
 * Calls `run` with all that was added: at once for the first, then for what came meanwhile, one after the other and with a
 * pause between. However many hints come, no more than one refresh is under way, and none of them is missed.
 */
export function coalesce<Item>(run: (items: ReadonlySet<Item>) => Promise<unknown>, pauseMs: number) {
  let waiting = new Set<Item>()
  let isRunning = false
  const work = async () => {
    isRunning = true
    while (waiting.size > 0) {
      const items = waiting
      waiting = new Set()
      await run(items).catch(() => {}) // a failed query shows its own error
      await new Promise((done) => setTimeout(done, pauseMs))
    }
    isRunning = false
  }
  return (item: Item): void => {
    waiting.add(item)
    if (!isRunning) void work()
  }
}
