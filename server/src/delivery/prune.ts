import { sql } from 'kysely'
import { attemptsKeptFor } from '../messages/attempt-log.ts'
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'

const atOnce = 5_000
const everyMs = 3_600_000

/** Forgets attempts that nobody asks about any more: a few at a time, so that nobody waits for it. */
export async function pruneAttempts(db: Db): Promise<number> {
  let pruned = 0
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from delivery_attempts
      where ctid = any (array(
        select ctid from delivery_attempts where at < now() - ${attemptsKeptFor}::interval order by at limit ${atOnce}
      ))
    `.execute(db)
    pruned += Number(numAffectedRows)
    if (numAffectedRows < atOnce) return pruned
  }
}

export function startPruning(db: Db, log: Log): { stop: () => void } {
  const prune = () =>
    void pruneAttempts(db).catch((error) => log.warn({ reason: String(error) }, 'could not forget old attempts'))
  prune()
  const timer = setInterval(prune, everyMs)
  return { stop: () => clearInterval(timer) }
}
