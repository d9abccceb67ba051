import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** Lets others work, after a piece of work that took so long. */
export type Pause = (tookMs: number) => Promise<void>

/** From this share of its time on, a process is busy with requests. */
const busyFrom = 0.7

/** After less work there is no pause: of thousands of small pieces, such as one for each account, nearly all would be pauses. */
const workMs = 20

/** A pause is at least so long, to tell whether the process is busy. */
const shortestPauseMs = 50

/** A pause is at most so long: a step may have waited for a database that was gone, which is not work. */
const longestPauseMs = 10_000

/**
 * Lets requests go first: while this process is busy, work that can wait takes at most a fiftieth of the time, or another
 * share, and falls behind for as long as that lasts. Only pauses tell: in between the process is busy with that work.
 */
export function openYieldToRequests(stopping: AbortSignal, shareWhenBusy = 1 / 50): Pause {
  let isBusy = false
  let workedMs = 0
  return async (tookMs) => {
    workedMs += tookMs
    if (workedMs < workMs) return
    const before = performance.eventLoopUtilization()
    const pauseMs = isBusy ? (1 / shareWhenBusy - 1) * workedMs : Math.max(shortestPauseMs, workedMs / 2)
    workedMs = 0
    await sleep(Math.min(pauseMs, longestPauseMs), undefined, { signal: stopping }).catch(() => {}) // it stops
    isBusy = performance.eventLoopUtilization(before).utilization > busyFrom
  }
}
