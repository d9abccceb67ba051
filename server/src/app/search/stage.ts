import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { type RunningPeriodic, startPeriodic } from '../../platform/jobs/periodic.ts'
import { openYieldToRequests, type Pause } from '../../platform/jobs/yield-to-requests.ts'
import type { Log } from '../../platform/log.ts'
import type { Listener } from '../../platform/notify/listen.ts'
import { openNotedConversations } from '../../platform/notify/noted-conversations.ts'
import { backfill, indexNewMessages } from './index-messages.ts'

/** How often messages are added to the search. Fewer and larger batches cost less for each message. */
const everyMs = 2_000

/** After this time it is looked again for what is due: other accounts may have new messages by then. */
const roundMs = 5_000

/** Of each interval the backfill works for a quarter, in steps with pauses in between. */
const backfillMs = 500

/** Adds messages to the search a few seconds after they came, so that storing one costs nothing more. */
export function startSearchIndexing({ db, listener }: { db: Db; listener: Listener }, log: Log): RunningPeriodic {
  const noted = openNotedConversations(listener)
  let backfilled: AccountId | undefined
  let yieldToRequests: Pause | undefined
  const run = async (stopping: AbortSignal) => {
    yieldToRequests ??= openYieldToRequests(stopping)
    await indexNewMessages(db, { pause: yieldToRequests, roundMs, stopping, noted })
    const until = performance.now() + backfillMs
    for (let began = performance.now(); began < until && !stopping.aborted; began = performance.now()) {
      backfilled = await backfill(db, backfilled)
      if (backfilled === undefined) return
      await yieldToRequests(2 * (performance.now() - began)) // at half the pace of new messages
    }
  }
  const { wake, stop } = startPeriodic({ name: 'search', everyMs, run }, log)
  return {
    wake,
    stop: async () => {
      noted.stop()
      await stop()
    },
  }
}
