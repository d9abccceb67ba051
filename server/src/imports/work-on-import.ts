import type { Db } from '../platform/database/db.ts'
import type { Hint } from '../work/hints.ts'
import type { Pause } from '../work/make-way.ts'
import { checkBlock } from './check-block.ts'
import { type DueImport, giveBack, renewLease } from './due-store.ts'
import { importBatch } from './import-batch.ts'
import { readFile } from './read-file.ts'

export type WorkCtx = { db: Db; secretKey: Buffer; hint: Hint; pause: Pause; stopping: AbortSignal }

/** Then another import may have its turn. */
const sliceMs = 2_000

/** Screens with contacts fetch them anew so often at most, while an import changes them all the time. */
const refreshMs = 3_000

/** Works on an import for a while: reads its file, checks its rows, or imports them, block by block. */
export async function workOnImport(ctx: WorkCtx, job: DueImport): Promise<void> {
  const { db, hint, pause, stopping } = ctx
  const { accountId, state } = job
  try {
    if (state === 'reading') await readFile(ctx, job)
    let hasMore = state !== 'reading'
    let refreshedAt = 0
    for (const until = performance.now() + sliceMs; hasMore && performance.now() < until && !stopping.aborted; ) {
      const began = performance.now()
      if (!(await db.transaction().execute((tx) => renewLease(tx, job)))) return
      hasMore = await (state === 'checking' ? checkBlock(db, job) : importBatch(ctx, job))
      hint(accountId, 'imports')
      if (state === 'running' && (!hasMore || began - refreshedAt > refreshMs)) {
        for (const topic of ['contacts', 'lists'] as const) hint(accountId, topic)
        refreshedAt = began
      }
      await pause(performance.now() - began)
    }
  } finally {
    await giveBack(db, job)
    hint(accountId, 'imports')
  }
}
