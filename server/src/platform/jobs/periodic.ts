import type { Log } from '../log.ts'

/** Work that is done again and again, by every process, and finds out by itself what there is to do. */
export type Periodic = {
  name: string
  /** The time from the end of a round to the beginning of the next one. */
  everyMs: number
  /**
   * One round. It must end soon after `stopping` is aborted, which is the same signal for all rounds. Whoever returns a
   * time has the next round begin after that many milliseconds instead.
   */
  run: (stopping: AbortSignal) => Promise<number | undefined> | Promise<void>
}

export type RunningPeriodic = {
  /** There may be something to do now: a round begins at once, or after the one that runs. */
  wake: () => void
  /** Begins no other round, and waits for the one that runs. */
  stop: () => Promise<void>
}

/** Runs the first round at once. Rounds never overlap; one that fails is followed by the next one at its time. */
export function startPeriodic({ name, everyMs, run }: Periodic, log: Log): RunningPeriodic {
  const stopping = new AbortController()
  let running: Promise<void> | undefined
  let isWoken = false
  let timer: NodeJS.Timeout | undefined

  async function runOnce(): Promise<void> {
    isWoken = false
    let nextMs: number | undefined
    try {
      nextMs = (await run(stopping.signal)) ?? undefined
    } catch (err) {
      if (!stopping.signal.aborted) log.warn({ err, work: name }, 'a round of work failed; the next one comes')
    }
    running = undefined
    if (stopping.signal.aborted) return
    if (isWoken) begin()
    else timer = setTimeout(begin, nextMs ?? everyMs)
  }

  function begin(): void {
    clearTimeout(timer)
    running = runOnce()
  }

  begin()
  return {
    wake: () => {
      isWoken = true
      if (!running && !stopping.signal.aborted) begin()
    },
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}
