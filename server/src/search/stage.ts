import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../platform/database/db.ts'
import type { Log } from '../platform/log.ts'
import { type RunningStage, startStage } from '../work/loop.ts'
import { backfill, indexNewMessages, type Pause } from './index-messages.ts'

/** How often messages are added to the search. Fewer and larger batches cost less for each message. */
const everyMs = 2_000

/** Of each interval the backfill works for a quarter, in steps with pauses in between. */
const backfillMs = 500

/** From this share of its time on, a process is busy with requests. */
const busyFrom = 0.7

/**
 * Lets requests go first: while this process is busy, adding takes at most a fiftieth of the time, and falls
 * behind for as long as that lasts.
 */
function openMakeWay(): Pause {
  let before = performance.eventLoopUtilization()
  return (tookMs) => {
    const now = performance.eventLoopUtilization()
    const isBusy = performance.eventLoopUtilization(now, before).utilization > busyFrom
    before = now
    return sleep(isBusy ? 49 * tookMs : tookMs / 2)
  }
}

/** Adds messages to the search a few seconds after they came, so that storing one costs nothing more. */
export function startSearchIndexing(db: Db, log: Log): RunningStage<'index'> {
  let dueAt = 0
  const makeWay = openMakeWay()
  return startStage<'index'>(
    {
      name: 'search',
      concurrency: 1,
      pollMs: everyMs,
      claim: async () => {
        if (performance.now() < dueAt) return []
        dueAt = performance.now() + everyMs - 100
        return ['index']
      },
      run: async () => {
        await indexNewMessages(db, makeWay)
        const until = performance.now() + backfillMs
        for (let began = performance.now(); began < until; began = performance.now()) {
          if (!(await backfill(db))) return
          await sleep(performance.now() - began)
        }
      },
    },
    log,
  )
}
