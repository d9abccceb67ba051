import type { Db } from '../../../platform/database/db.ts'
import { type RunningStage, startStage } from '../../../platform/jobs/loop.ts'
import type { IsDue } from '../../../platform/jobs/polling.ts'
import type { Log } from '../../../platform/log.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { claimParked, type Parked } from './parked-store.ts'
import { tryParked } from './try-again.ts'

/** So many at once: some 20 ms of work. */
const atOnce = 500

/** Tries receipts again that came before what they are about was stored. */
export function startTryingParked(
  ctx: Readonly<{ db: Db; hint: Hint; log: Log; isDue: IsDue }>,
): RunningStage<Parked[]> {
  return startStage<Parked[]>(
    {
      name: 'parked receipts',
      concurrency: 1,
      isDue: ctx.isDue,
      claim: async () => {
        const parked = await claimParked(ctx.db, atOnce)
        return parked.length === 0 ? [] : [parked]
      },
      run: (parked) => tryParked(ctx, parked),
    },
    ctx.log,
  )
}
