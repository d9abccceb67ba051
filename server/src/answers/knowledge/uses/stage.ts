import type { Db } from '../../../platform/database/db.ts'
import { startStage } from '../../../platform/jobs/loop.ts'
import type { Log } from '../../../platform/log.ts'
import { countUses, findUncounted } from './uses-store.ts'

/** How late a use is shown, besides the minute that is left out. Each round takes all there are, so it is not for nothing. */
const pollMs = 60_000

/** Counts how often each entry was the answer, for the list of entries. Any process may do it, and several at once. */
export function startCountingUses(db: Db, log: Log): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const claim = async () => {
    await countAllUses(db, stopping.signal)
    return []
  }
  const stage = startStage<never>({ name: 'entry uses', concurrency: 1, pollMs, claim, run: async () => {} }, log)
  return {
    stop: async () => {
      stopping.abort()
      await stage.stop()
    },
  }
}

/** What is countable now, a few thousand answers of each campaign in turn. */
export async function countAllUses(db: Db, signal?: AbortSignal): Promise<void> {
  for (let rest = await findUncounted(db); rest.length > 0; ) {
    const more: typeof rest = []
    for (const campaign of rest) {
      if (signal?.aborted) return
      if (await countUses(db, campaign)) more.push(campaign)
    }
    rest = more
  }
}
