import type { Db } from '../platform/database/db.ts'
import type { AccountId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { type RunningStage, startStage } from '../work/loop.ts'
import { openMakeWay } from '../work/make-way.ts'
import { countReports } from './count-reports.ts'
import type { DeliveryCursor } from './delivery-store.ts'

/** How late reports are, besides the seconds that answers are left out for. */
const everyMs = 3_000

/** Then it is looked again for what is due: other accounts may have new messages by then. */
const roundMs = 5_000

/** Keeps the sums of the reports a few seconds after what they count, so that a message costs nothing more. */
export function startCountingReports(db: Db, log: Log): RunningStage<'count'> {
  let dueAt = 0
  const deliveries = new Map<AccountId, DeliveryCursor>()
  const stopping = new AbortController()
  const pause = openMakeWay(stopping.signal)
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
      run: () => countReports(db, { pause, roundMs, stopping: stopping.signal, deliveries }),
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
