import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../../platform/database/db.ts'
import { hasWorker } from '../../../platform/notify/workers-store.ts'
import { OperatorError } from '../../../platform/operator-error.ts'
import { countWithoutVector, readMissing } from '../entries/missing-store.ts'
import type { CampaignRef } from '../entries/store.ts'

type Options = {
  /** The model of the embedder that the worker uses. */
  modelId: string
  /** Is told every ten seconds how many texts are left. */
  onWait: (left: number) => void
  /** How long the worker may embed nothing. */
  patienceMs?: number
}

/** A worker may restart, and so lose its connections for a while. */
const workerIsBackWithinMs = 30_000
const tellEveryMs = 10_000

/**
 * Waits until a worker has embedded all texts of a campaign; false: no worker runs, so the caller has to do it. The model
 * takes some 100 MB in each process that loads it, which a small machine should not have to give twice.
 */
export async function awaitEmbedding(
  db: Db,
  campaign: CampaignRef,
  { modelId, onWait, patienceMs = 300_000 }: Options,
): Promise<boolean> {
  let seenAt = (await hasWorker(db)) ? performance.now() : undefined
  if (seenAt === undefined) return false
  let [toldAt, progressAt, before] = [performance.now(), performance.now(), '']
  for (;;) {
    const left = await countWithoutVector(db, campaign)
    if (left === 0) return true
    // Texts of other campaigns may come first: then the first that is missing changes.
    const [first] = await readMissing(db, modelId, { limit: 1 })
    const now = `${left} ${first?.entryId} ${first?.n}`
    if (now !== before) progressAt = performance.now()
    before = now
    if (await hasWorker(db)) seenAt = performance.now()
    if (performance.now() - seenAt > workerIsBackWithinMs) return false
    if (performance.now() - progressAt > patienceMs) throw standsStill(left)
    if (performance.now() - toldAt > tellEveryMs) {
      onWait(left)
      toldAt = performance.now()
    }
    await sleep(250)
  }
}

function standsStill(left: number): OperatorError {
  return new OperatorError(
    `The entries are saved, but the running server embeds none of the ${left} texts that are left; its log says why. ` +
      'Until then it compares them by their words.',
  )
}
