import type { Db } from '../../platform/database/db.ts'
import { type RunningPeriodic, startPeriodic } from '../../platform/jobs/periodic.ts'
import { openYieldToRequests, type Pause } from '../../platform/jobs/yield-to-requests.ts'
import type { Log } from '../../platform/log.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import type { Listener } from '../../platform/notify/listen.ts'
import { openNotedConversations } from '../../platform/notify/noted-conversations.ts'
import { lateSeconds, openPlace } from './count/round.ts'
import { countReports } from './count-reports.ts'

/** How late reports are, besides the seconds that answers are left out for. */
const everyMs = 3_000

/** After this time it is looked again for what is due: other accounts may have new messages by then. */
const roundMs = 5_000

/** The share of the time while requests never pause: as much as the removal of messages has, which waits for this. */
const shareWhenBusy = 1 / 8

type Ctx = { db: Db; instruments: Instruments; listener: Listener }

/** Keeps the sums of the reports a few seconds after what they count, so that a message costs nothing more. */
export function startCountingReports({ db, instruments, listener }: Ctx, log: Log): RunningPeriodic {
  const noted = openNotedConversations(listener)
  const place = openPlace()
  instruments.reports.lateSeconds = () => lateSeconds(place)
  let pause: Pause | undefined
  const run = (stopping: AbortSignal) => {
    pause ??= openYieldToRequests(stopping, shareWhenBusy)
    return countReports(db, { pause, roundMs, stopping, place, noted })
  }
  const { wake, stop } = startPeriodic({ name: 'reports', everyMs, run }, log)
  return {
    wake: () => {
      noted.noteAll() // who wakes it does not say which account
      wake()
    },
    stop: async () => {
      noted.stop()
      await stop()
    },
  }
}
