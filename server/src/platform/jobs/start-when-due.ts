import type { Log } from '../log.ts'
import { type IsDue, startPolling } from './polling.ts'

type Startable = {
  name: string
  /** Whether there is anything that it is for. */
  isDue: IsDue
  start: () => Promise<{ stop: () => Promise<void> }>
}

const everyMs = 1_000

/**
 * Starts background work when there is something that it is for, once and for good: until then nothing of it is loaded. A start that
 * fails is tried again.
 */
export function startWhenDue({ name, isDue, start }: Startable, log: Log): { stop: () => Promise<void> } {
  let started: Promise<{ stop: () => Promise<void> } | undefined> | undefined

  function begin(): void {
    if (started) return
    started = start().catch((err) => {
      log.error({ err, work: name }, 'background work could not be started; trying again in a second')
      started = undefined
      return undefined
    })
    void started.then((running) => running && polling.stop())
  }

  const polling = startPolling(everyMs, begin, () => isDue().catch(() => false))
  return {
    stop: async () => {
      polling.stop()
      const running = await started
      await running?.stop()
    },
  }
}
