import type { Db } from '../../../platform/database/db.ts'
import { type RunningStage, startStage } from '../../../platform/jobs/loop.ts'
import type { Log } from '../../../platform/log.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { openDue } from './state-store.ts'

/** How late a conversation may come back. */
const pollMs = 5_000

/** One statement opens so many; the next look opens more. */
const atOnce = 100

/**
 * Opens conversations again whose time has come, and says so to open screens. Any process may do it, and several at once:
 * the statement that finds a conversation opens it.
 */
export function startEndingSnoozes({ db, hint }: { db: Db; hint: Hint }, log: Log): RunningStage<number> {
  return startStage<number>(
    {
      name: 'snoozes',
      concurrency: 1,
      pollMs,
      claim: async () => {
        const opened = await endSnoozes(db, hint)
        return opened === atOnce ? [opened] : []
      },
      run: async () => {},
    },
    log,
  )
}

export async function endSnoozes(db: Db, hint: Hint): Promise<number> {
  const opened = await openDue(db, atOnce)
  for (const { accountId, contactId } of opened) hint(accountId, contactId)
  return opened.length
}
