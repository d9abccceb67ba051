import { readMissing } from '../knowledge/entries/store.ts'
import type { Embedder } from '../knowledge/search/embedder.ts'
import type { Knowledge } from '../knowledge/search/retrieval.ts'
import { type ChangedCampaign, findChangedCampaign, markRetried } from '../knowledge/unanswered/retry-store.ts'
import type { Db } from '../platform/database/db.ts'
import type { Log } from '../platform/log.ts'
import type { Hint } from '../work/hints.ts'
import { startStage } from '../work/loop.ts'
import { retryUnanswered } from './retry-unanswered.ts'

type RetryCtx = Readonly<{ db: Db; embedder: Embedder; knowledge: Knowledge; hint: Hint }>

/** Retries the unanswered questions of a campaign after its knowledge changed and all texts are embedded. */
export function startRetryingUnanswered(ctx: RetryCtx, log: Log): { stop: () => Promise<void> } {
  const { db, embedder, hint } = ctx
  const stopping = new AbortController()
  const stage = startStage<ChangedCampaign>(
    {
      name: 'retrying unanswered',
      concurrency: 1,
      claim: async () => {
        const isReady = embedder.state() === 'failed' || (await readMissing(db, embedder.modelId, 1)).length === 0
        const changed = isReady ? await findChangedCampaign(db) : undefined
        return changed ? [changed] : []
      },
      // A failure is not retried until the campaign's knowledge changes again: nobody waits for the result.
      run: async (changed) => {
        try {
          await retryUnanswered(ctx, changed, stopping.signal)
          hint(changed.accountId, 'campaigns')
        } catch (error) {
          if (stopping.signal.aborted) return
          log.warn({ reason: String(error), campaignId: changed.campaignId }, 'could not retry unanswered questions')
          await markRetried(db, changed)
        }
      },
    },
    log,
  )
  return {
    stop: async () => {
      stopping.abort()
      await stage.stop()
    },
  }
}
