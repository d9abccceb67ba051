import type { RawBuilder } from 'kysely'
import { type RunningPeriodic, startPeriodic } from '../jobs/periodic.ts'
import type { Log } from '../log.ts'
import type { Db } from './db.ts'

const batchSize = 2_000
const everyMs = 600_000

/** Deletes in small batches, so that no other statement waits long. `batch` makes the statement for up to `limit`. */
export async function deleteInBatches(db: Db, batch: (limit: number) => RawBuilder<unknown>): Promise<number> {
  let deleted = 0
  for (;;) {
    const { numAffectedRows = 0n } = await batch(batchSize).execute(db)
    deleted += Number(numAffectedRows)
    if (numAffectedRows < batchSize) return deleted
  }
}

/** The functions that delete expired rows, by the name of what is stored for a limited time. */
export type Prunes = Record<string, (db: Db) => Promise<number>>

/** Deletes expired rows at the start and every ten minutes, one kind after another. */
export function startPruning(db: Db, log: Log, prunes: Prunes): RunningPeriodic {
  const run = async (stopping: AbortSignal) => {
    for (const [name, prune] of Object.entries(prunes)) {
      if (stopping.aborted) return
      await prune(db).catch((error) => log.warn({ reason: String(error), name }, 'could not delete expired rows'))
    }
  }
  return startPeriodic({ name: 'pruning', everyMs, run }, log)
}
