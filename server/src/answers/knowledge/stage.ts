import type { Db } from '../../platform/database/db.ts'
import { type RunningStage, startStage } from '../../platform/jobs/loop.ts'
import type { IsDue } from '../../platform/jobs/polling.ts'
import type { Log } from '../../platform/log.ts'
import { readMissing } from './entries/missing-store.ts'
import type { MissingText } from './entries/store.ts'
import { batchSize, embedTexts } from './search/embed-missing.ts'
import type { Embedder } from './search/embedder.ts'

/** Embeds saved texts in batches, one after the other: there is one thread for it. Accounts take turns. */
export function startEmbedding(
  { db, embedder, isDue }: Readonly<{ db: Db; embedder: Embedder; isDue?: IsDue }>,
  log: Log,
): RunningStage<MissingText[]> {
  let servedLast: string | undefined
  return startStage<MissingText[]>(
    {
      name: 'knowledge',
      concurrency: 1,
      isDue,
      claim: async () => {
        if (embedder.state() === 'failed') return [] // entries are ranked by words then
        const texts = await readMissing(db, embedder.modelId, { limit: batchSize, servedLast })
        servedLast = texts[0]?.accountId
        return texts.length === 0 ? [] : [texts]
      },
      run: (texts) => embedTexts(db, embedder, texts),
    },
    log,
  )
}
