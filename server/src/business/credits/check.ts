import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { yieldToOthers } from '../../platform/database/low-priority.ts'
import type { Log } from '../../platform/log.ts'
import { type Breach, findBreaches, writeLastCheck } from './check-store.ts'

/** Verifies every invariant of the ledger without blocking writers; empty when all hold. Keeps when and how it ended. */
export async function checkLedger(db: Db): Promise<Breach[]> {
  const transaction = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  const breaches = await transaction.execute(findBreaches)
  await writeLastCheck(db, breaches.length)
  return breaches
}

/** The hour in UTC. */
const hourOfCheck = 3
const dayMs = 86_400_000

/**
 * Checks the ledger every night, in one of all processes, and logs violations as an error. The time grows with the
 * ledger, hence a database pool of its own that waits for an answer without a limit.
 */
export function startLedgerChecks({ openDb, isEmbedded, now = Date.now }: NightlyCtx, log: Log): { stop: () => void } {
  let timer = schedule()

  function schedule(): NodeJS.Timeout {
    const sinceMs = (now() - hourOfCheck * 3_600_000) % dayMs
    return setTimeout(() => {
      timer = schedule()
      check().catch((error) => log.warn({ reason: String(error) }, 'could not check the ledger'))
    }, dayMs - sinceMs).unref()
  }

  async function check(): Promise<void> {
    await using db = openDb()
    await checkOnce(db, log, isEmbedded)
  }

  return { stop: () => clearTimeout(timer) }
}

type NightlyCtx = {
  openDb: () => Db
  /** Whether the database runs on this machine as ours. */
  isEmbedded: boolean
  now?: () => number
}

/** Of several processes that start it at the same time, one runs it. Everything else on the machine goes first. */
export async function checkOnce(db: Db, log: Log, isEmbedded = false): Promise<void> {
  await db.connection().execute(async (connection) => {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_lock(hashtext('patchbay ledger check')) as is_ours
    `.execute(connection)
    if (!rows[0]?.isOurs) return
    try {
      if (isEmbedded) await yieldToOthers(connection)
      const breaches = await checkLedger(connection)
      if (breaches.length > 0) log.error({ breaches }, 'the ledger does not add up; see: npx patchbay ledger check')
    } finally {
      await sql`select pg_advisory_unlock(hashtext('patchbay ledger check'))`.execute(connection)
    }
  })
}
