import type { KeepDays } from '../../../platform/config/keep-days.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type RunningStage, startStage } from '../../../platform/jobs/loop.ts'
import { openMakeWay } from '../../../platform/jobs/make-way.ts'
import type { Log } from '../../../platform/log.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { removeOver } from './remove-over.ts'

/** How late something may be removed, a little more for a message: its `messageSid` is noted first. */
const everyMs = 600_000

/** After a round that noted some: then their messages can be removed. */
const soonMs = 65_000

/** Of the time while requests come without a break: enough to remove as many messages as come. */
const shareWhenBusy = 1 / 8

/** Removes what is over. */
export function startRetention(
  { db, keepDays, hint }: { db: Db; keepDays: KeepDays; hint: Hint },
  log: Log,
): RunningStage<'remove'> {
  let dueAt = 0
  const stopping = new AbortController()
  const pause = openMakeWay(stopping.signal, shareWhenBusy)
  const stage = startStage<'remove'>(
    {
      name: 'retention',
      concurrency: 1,
      pollMs: 5_000,
      claim: async () => (performance.now() < dueAt ? [] : ['remove']),
      run: async () => {
        dueAt = performance.now() + everyMs
        const { removed, noted } = await removeOver({ db, keepDays, hint, pause, stopping: stopping.signal })
        if (noted > 0) dueAt = performance.now() + soonMs
        if (removed > 0) log.info({ messages: removed }, 'removed messages that were kept for long enough')
      },
    },
    log,
  )
  return {
    ...stage,
    wake: () => {
      dueAt = 0 // something may be kept for a shorter time now
      stage.wake()
    },
    stop: () => {
      stopping.abort() // a round may take long; it is left after a batch
      return stage.stop()
    },
  }
}
