import { readMissing } from '../knowledge/entries/store.ts'
import type { Embedder } from '../knowledge/search/embedder.ts'
import type { Knowledge } from '../knowledge/search/retrieval.ts'
import { findTaught, noteAskedAgain, type Taught } from '../knowledge/unanswered/taught-store.ts'
import type { Db } from '../platform/database/db.ts'
import type { Log } from '../platform/log.ts'
import { startStage } from '../work/loop.ts'
import { askAgain } from './ask-again.ts'

type AskingCtx = Readonly<{ db: Db; embedder: Embedder; knowledge: Knowledge }>

/** After a campaign was taught something, and all of it is ready to answer, its unanswered questions are asked again. */
export function startAskingAgain(ctx: AskingCtx, log: Log): { stop: () => Promise<void> } {
  const { db, embedder } = ctx
  const stopping = new AbortController()
  const stage = startStage<Taught>(
    {
      name: 'asking again',
      room: 1,
      claim: async () => {
        const isReady = embedder.state() === 'failed' || (await readMissing(db, embedder.modelId, 1)).length === 0
        const taught = isReady ? await findTaught(db) : undefined
        return taught ? [taught] : []
      },
      // What fails is left until the campaign is taught again: nobody waits for it.
      run: (taught) =>
        askAgain(ctx, taught, stopping.signal).catch(async (error) => {
          if (stopping.signal.aborted) return
          log.warn({ reason: String(error), campaignId: taught.campaignId }, 'could not ask unanswered questions again')
          await noteAskedAgain(db, taught)
        }),
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
