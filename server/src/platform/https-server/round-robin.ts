/**
 * How long one pass may serve before it yields to the event loop. Short, because each iteration of the event loop accepts
 * only one new connection: at 5 ms, new clients waited for seconds beside a hundred connections that pipelined, and at
 * 1 ms for less than one.
 */
const yieldAfterMs = 1

export type RoundRobin<T> = { enqueue: (one: T) => void; remove: (one: T) => void }

/**
 * Serves queued items in order, each once, and yields to the event loop in between: however long the queue is, work that
 * does not go through it waits for a few milliseconds only.
 */
export function openRoundRobin<T>(serve: (one: T) => void): RoundRobin<T> {
  const queue = new Set<T>()
  let isScheduled = false

  function run(): void {
    isScheduled = false
    const until = performance.now() + yieldAfterMs
    for (const one of queue) {
      queue.delete(one)
      serve(one)
      if (performance.now() >= until) break
    }
    if (queue.size > 0) schedule()
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(run)
  }

  return {
    enqueue: (one) => {
      queue.add(one)
      schedule()
    },
    remove: (one) => void queue.delete(one),
  }
}
