import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseAddress } from '../database/db.ts'
import { isTransientConnectionError } from '../database/errors.ts'
import { OperatorError } from '../operator-error.ts'
import { isMigrating, type ServerLock, tryServerLock } from './server-lock.ts'

export class AnotherServerRuns extends OperatorError {}

/** How long a server waits for its predecessor to end. */
const predecessorEndsWithinMs = 2_000

/** How long it waits for a command that migrates, and for a database that runs but does not answer. */
const mostMs = 30_000

type Database = { connection: DatabaseAddress; ensureRunning: () => Promise<unknown> }

/**
 * Starts the embedded database if necessary, and takes the lock that one server at a time holds. Only a database that said
 * no counts as held by another: one that broke the connection was in the middle of a crash, which a server must survive.
 */
export async function lockExclusively(embedded: Database, dataDir: string, number: number): Promise<ServerLock> {
  let refused: { at: number; giveUpAt: number } | undefined
  let silentAt: number | undefined
  for (;;) {
    await embedded.ensureRunning()
    try {
      const lock = await tryServerLock(embedded.connection, 'exclusive', number)
      if (lock) return lock
      silentAt = undefined
      const now = performance.now()
      refused ??= { at: now, giveUpAt: now + predecessorEndsWithinMs }
      // A command also holds the lock while it migrates, which takes seconds on a busy machine.
      if (await isMigrating(embedded.connection)) {
        refused.giveUpAt = Math.min(performance.now() + predecessorEndsWithinMs, refused.at + mostMs)
      }
    } catch (error) {
      silentAt ??= performance.now()
      if (!isTransientConnectionError(error) || performance.now() - silentAt > mostMs) throw error
      refused = undefined // whoever had the lock has lost it as well
    }
    if (refused && performance.now() > refused.giveUpAt) {
      throw new AnotherServerRuns(`Another Patchbay server is running on ${dataDir}; stop it, or set another DATA_DIR.`)
    }
    await sleep(100)
  }
}
