import type { Db } from '../../platform/database/db.ts'
import { startStage } from '../../platform/jobs/loop.ts'
import type { IsDue } from '../../platform/jobs/polling.ts'
import type { Log } from '../../platform/log.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import type { Embedder } from '../knowledge/search/embedder.ts'
import type { Knowledge } from '../knowledge/search/retrieval.ts'
import { type ChangedCampaign, findChangedCampaign, markRetried } from '../knowledge/unanswered/retry-store.ts'
import { retryUnanswered } from './retry-unanswered.ts'

type RetryCtx = Readonly<{ db: Db; embedder: Embedder; knowledge: Knowledge; hint: Hint; isDue: IsDue }>

/** Retries the unanswered questions of a campaign after its knowledge changed and its texts are embedded; all take turns. */
export function startRetryingUnanswered(ctx: RetryCtx, log: Log): { stop: () => Promise<void> } {
  const { db, embedder, hint } = ctx
  const stopping = new AbortController()
  let servedLast: string | undefined
  /** Where each goes on that has had a turn. */
  const places = new Map<string, { version: number; from: string }>()
  const stage = startStage<ChangedCampaign>(
    {
      name: 'retrying unanswered',
      concurrency: 1,
      isDue: ctx.isDue,
      claim: async () => {
        const model = embedder.state() === 'failed' ? undefined : embedder.modelId
        const changed = await findChangedCampaign(db, { model, servedLast })
        servedLast = changed?.campaignId
        return changed ? [changed] : []
      },
      // A failure is not retried until the campaign's knowledge changes again: nobody waits for the result.
      run: async (changed) => {
        const { campaignId, knowledgeVersion: version } = changed
        try {
          const place = places.get(campaignId)
          const from = place?.version === version ? place.from : undefined
          const next = await retryUnanswered(ctx, changed, { signal: stopping.signal, from })
          places.delete(campaignId)
          if (next !== undefined) places.set(campaignId, { version, from: next })
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
