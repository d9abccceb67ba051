import type { Db } from '../../../platform/database/db.ts'
import { type RunningPeriodic, startPeriodic } from '../../../platform/jobs/periodic.ts'
import type { Log } from '../../../platform/log.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { openDue } from './state-store.ts'

/** How late a conversation may come back. */
const everyMs = 5_000

/** One statement opens so many; the next round, which follows at once, opens more. */
const atOnce = 100

/**
 * Opens conversations again whose time has come, and says so to open screens. Any process may do it, and several at once:
 * the statement that finds a conversation opens it.
 */
export function startEndingSnoozes({ db, hint }: { db: Db; hint: Hint }, log: Log): RunningPeriodic {
  const run = async () => ((await endSnoozes(db, hint)) === atOnce ? 0 : everyMs)
  return startPeriodic({ name: 'snoozes', everyMs, run }, log)
}

export async function endSnoozes(db: Db, hint: Hint): Promise<number> {
  const opened = await openDue(db, atOnce)
  for (const { accountId, contactId } of opened) hint(accountId, contactId)
  return opened.length
}
