/** Whether a stage may have something to do. */
export type IsDue = () => Promise<boolean>

export type Polling = {
  /** Wakes once more after so long, instead of what was asked for before; undefined: never. */
  wakeIn: (ms: number | undefined) => void
  stop: () => void
}

/** Wakes a stage again and again; where `isDue` is given, only if it says so, or fails: then the stage says why in the log. */
export function startPolling(everyMs: number, wake: () => void, isDue: IsDue = async () => true): Polling {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  async function poll(): Promise<void> {
    const mayBeDue = await isDue().catch(() => true)
    if (mayBeDue && !isStopped) wake()
  }

  const polling = setInterval(poll, everyMs)
  return {
    wakeIn: (ms) => {
      clearTimeout(timer)
      if (ms !== undefined && ms < everyMs && !isStopped) timer = setTimeout(wake, ms)
    },
    stop: () => {
      isStopped = true
      clearInterval(polling)
      clearTimeout(timer)
    },
  }
}
