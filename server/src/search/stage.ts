import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../platform/database/db.ts'
import type { Log } from '../platform/log.ts'
import { type RunningStage, startStage } from '../work/loop.ts'
import { backfill, indexNewMessages } from './index-messages.ts'

/** How often messages are added to the search. Fewer and larger batches cost less for each message. */
const everyMs = 2_000

/** Of each interval the backfill works for a quarter, in steps with pauses in between. */
const backfillMs = 500

/** Adds messages to the search a few seconds after they came, so that storing one costs nothing more. */
export function startSearchIndexing(db: Db, log: Log): RunningStage<'index'> {
  let dueAt = 0
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
        await indexNewMessages(db)
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
