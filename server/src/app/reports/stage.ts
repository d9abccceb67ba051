import type { Db } from '../../platform/database/db.ts'
import { type RunningStage, startStage } from '../../platform/jobs/loop.ts'
import { openMakeWay } from '../../platform/jobs/make-way.ts'
import type { Log } from '../../platform/log.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import { lateSeconds, openPlace } from './count/round.ts'
import { countReports } from './count-reports.ts'

/** How late reports are, besides the seconds that answers are left out for. */
const everyMs = 3_000

/** Then it is looked again for what is due: other accounts may have new messages by then. */
const roundMs = 5_000

/** Of the time while requests come without a break: as much as the removal of messages has, which waits for this. */
const shareWhenBusy = 1 / 8

type Ctx = { db: Db; instruments: Instruments }

/** Keeps the sums of the reports a few seconds after what they count, so that a message costs nothing more. */
export function startCountingReports({ db, instruments }: Ctx, log: Log): RunningStage<'count'> {
  let dueAt = 0
  const place = openPlace()
  instruments.reports.lateSeconds = () => lateSeconds(place)
  const stopping = new AbortController()
  const pause = openMakeWay(stopping.signal, shareWhenBusy)
  const stage = startStage<'count'>(
    {
      name: 'reports',
      concurrency: 1,
      pollMs: everyMs,
      claim: async () => {
        if (performance.now() < dueAt) return []
        dueAt = performance.now() + everyMs - 100
        return ['count']
      },
      run: () => countReports(db, { pause, roundMs, stopping: stopping.signal, place }),
    },
    log,
  )
  return {
    ...stage,
    wake: () => {
      dueAt = 0 // days may begin at another time now
      stage.wake()
    },
    stop: () => {
      stopping.abort()
      return stage.stop()
    },
  }
}
