import type { KeepDays } from '../../../platform/config/keep-days.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type RunningPeriodic, startPeriodic } from '../../../platform/jobs/periodic.ts'
import { openYieldToRequests, type Pause } from '../../../platform/jobs/yield-to-requests.ts'
import type { Log } from '../../../platform/log.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { removeOver } from './remove-over.ts'

/** How late something may be removed, a little more for a message: its `messageSid` is noted first. */
const everyMs = 600_000

/** The wait after a round that noted some: then their messages can be removed. */
const soonMs = 65_000

/** The share of the time while requests come without a break: enough to remove as many messages as come. */
const shareWhenBusy = 1 / 8

/** Removes what is over. A round may take long; it is left after a batch when the process stops. */
export function startRetention(
  { db, keepDays, hint }: { db: Db; keepDays: KeepDays; hint: Hint },
  log: Log,
): RunningPeriodic {
  let pause: Pause | undefined
  const run = async (stopping: AbortSignal) => {
    pause ??= openYieldToRequests(stopping, shareWhenBusy)
    const { removed, noted } = await removeOver({ db, keepDays, hint, pause, stopping })
    if (removed > 0) log.info({ messages: removed }, 'removed messages that were kept for long enough')
    return noted > 0 ? soonMs : everyMs
  }
  return startPeriodic({ name: 'retention', everyMs, run }, log)
}
