import type { Db } from '../../platform/database/db.ts'
import type { Pause } from '../../platform/jobs/yield-to-requests.ts'
import type { NotedConversations } from '../../platform/notify/noted-conversations.ts'
import { countNew } from './count/count-new.ts'
import { openPlace, type Place } from './count/round.ts'
import { scanDeliveries } from './count/scan-deliveries.ts'

type Options = {
  pause?: Pause
  roundMs?: number
  stopping?: AbortSignal
  place?: Place
  /** Without it all accounts are looked through. */
  noted?: NotedConversations
  /** The time in place of that of the database; a test has another one. */
  now?: string
}

/**
 * Counts what all accounts have that is not in the sums yet, and looks at deliveries that had not arrived, until all is
 * counted or the round is over. A round that is over is continued by the next, so that no account waits for those before it.
 */
export async function countReports(
  db: Db,
  {
    pause = async () => {},
    roundMs = Number.POSITIVE_INFINITY,
    stopping,
    place = openPlace(),
    noted,
    now,
  }: Options = {},
): Promise<void> {
  const began = performance.now()
  const isStopping = () => stopping?.aborted ?? false
  const isOver = () => isStopping() || performance.now() - began >= roundMs
  const round = { db, pause, place, noted, now, isStopping, isOver }
  await countNew(round)
  for (const counted of ['open', 'failed'] as const) await scanDeliveries(round, counted)
}
