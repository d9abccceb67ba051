import { sql } from 'kysely'
import { attemptsKeptFor } from '../messages/attempt-log.ts'
import type { Db } from '../platform/database/db.ts'
import { deleteInBatches } from '../platform/database/prune.ts'

/** Deletes logged attempts after their retention period. */
export async function pruneAttempts(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    (limit) => sql`
      delete from delivery_attempts
      where ctid = any (array(
        select ctid from delivery_attempts where at < now() - ${attemptsKeptFor}::interval order by at limit ${limit}
      ))
    `,
  )
}
