import type { Db } from '../../../platform/database/db.ts'
import { type RunningPeriodic, startPeriodic } from '../../../platform/jobs/periodic.ts'
import type { Log } from '../../../platform/log.ts'
import { countUsage, findUncounted } from './usage-store.ts'

/** How late a use is shown, besides the minute that is left out. Each round takes all there are, so it is not for nothing. */
const everyMs = 60_000

/** Counts how often each entry was the answer, for the list of entries. Any process may do it, and several at once. */
export function startCountingUsage(db: Db, log: Log): RunningPeriodic {
  return startPeriodic({ name: 'entry uses', everyMs, run: (stopping) => countAllUsage(db, stopping) }, log)
}

/** What is countable now, a few thousand answers of each campaign in turn. */
export async function countAllUsage(db: Db, signal?: AbortSignal): Promise<void> {
  for (let rest = await findUncounted(db); rest.length > 0; ) {
    const more: typeof rest = []
    for (const campaign of rest) {
      if (signal?.aborted) return
      if (await countUsage(db, campaign)) more.push(campaign)
    }
    rest = more
  }
}
