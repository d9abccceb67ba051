import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { undefinedIfTransient } from '../database/errors.ts'
import { type EmbeddedPostgres, embeddedPostgres } from '../embedded-postgres/embedded-postgres.ts'
import { hasOtherSessions, tryServerLock } from './server-lock.ts'

/** Holds the lock until the stop signal is sent: a server that starts now waits, and then starts the database anew. */
export async function stopUnlessServerRuns(embedded: EmbeddedPostgres): Promise<void> {
  const lock = await tryServerLock(embedded.connection, 'exclusive').catch(undefinedIfTransient)
  if (!lock) return
  const stopped = embedded.stop('smart')
  await lock.release()
  await stopped
}

const othersEndWithinMs = 2_000

/**
 * Stops the embedded database after its supervisor has died. Called by each process that served, at its end: whoever finds
 * no session but its own is the last one. A server that has come meanwhile keeps the lock, and the database.
 */
export async function stopAbandoned({ dataDir }: Config): Promise<void> {
  using embedded = embeddedPostgres(join(dataDir, 'postgres'))
  const giveUpAt = performance.now() + othersEndWithinMs
  while (performance.now() < giveUpAt) {
    const lock = await tryServerLock(embedded.connection, 'exclusive')
    if (!lock) {
      await sleep(100) // another process is looking, or a server has come
      continue
    }
    const isLast = !(await hasOtherSessions(embedded.connection))
    const stopped = isLast ? embedded.stop('smart') : undefined
    await lock.release()
    return stopped
  }
}
