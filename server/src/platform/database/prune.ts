import type { RawBuilder } from 'kysely'
import type { Log } from '../log.ts'
import type { Db } from './db.ts'

const atOnce = 2_000
const everyMs = 600_000

/** Deletes a few rows at a time, so that nobody waits for it. `batch` is the statement that deletes up to so many. */
export async function deleteInBatches(db: Db, batch: (limit: number) => RawBuilder<unknown>): Promise<number> {
  let deleted = 0
  for (;;) {
    const { numAffectedRows = 0n } = await batch(atOnce).execute(db)
    deleted += Number(numAffectedRows)
    if (numAffectedRows < atOnce) return deleted
  }
}

/** What is kept for a time only, by name, and how to delete what is older. */
export type Prunes = Record<string, (db: Db) => Promise<number>>

/** Deletes it when its time has come, whether anybody asks for it or not: every ten minutes, one after another. */
export function startPruning(db: Db, log: Log, prunes: Prunes): { stop: () => Promise<void> } {
  let isStopping = false
  let running: Promise<void> = Promise.resolve()

  async function pruneAll(): Promise<void> {
    for (const [name, prune] of Object.entries(prunes)) {
      if (isStopping) return
      await prune(db).catch((error) => log.warn({ reason: String(error), name }, 'could not delete what is old'))
    }
  }

  const start = () => {
    running = running.then(pruneAll)
  }
  start()
  const timer = setInterval(start, everyMs)
  return {
    stop: async () => {
      isStopping = true
      clearInterval(timer)
      await running
    },
  }
}
