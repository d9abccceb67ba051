/**
 * How long those who take turns may keep everybody else waiting before the event loop goes on. Short, because each round
 * of the event loop accepts one new connection only: at 5 ms, new clients waited for seconds beside a hundred connections
 * that pipelined, and at 1 ms for less than one.
 */
const turnMs = 1

export type RoundRobin<T> = { take: (one: T) => void; leave: (one: T) => void }

/**
 * Serves one after the other, each once, in the order in which they asked for a turn, and lets the event loop go on in
 * between: however many there are, whoever does not have to take turns waits for a few milliseconds of them only.
 */
export function openRoundRobin<T>(serve: (one: T) => void): RoundRobin<T> {
  const waiting = new Set<T>()
  let isDue = false

  function run(): void {
    isDue = false
    const until = performance.now() + turnMs
    for (const one of waiting) {
      waiting.delete(one)
      serve(one)
      if (performance.now() >= until) break
    }
    if (waiting.size > 0) runSoon()
  }

  function runSoon(): void {
    if (isDue) return
    isDue = true
    setImmediate(run)
  }

  return {
    take: (one) => {
      waiting.add(one)
      runSoon()
    },
    leave: (one) => void waiting.delete(one),
  }
}
