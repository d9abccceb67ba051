import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { undefinedIfTransient } from '../database/errors.ts'
import { type EmbeddedPostgres, embeddedPostgres } from '../embedded-postgres/embedded-postgres.ts'
import { findOthers, tryServerLock } from './server-lock.ts'

/** How long the command that has started the database waits for others that use it. */
const commandsEndWithinMs = 20_000

/**
 * Stops the database that a command has started, once no other command uses it: one that is told to stop lets nobody in any more, and a
 * server that finds it so ends its sessions. A server that runs keeps it. The lock is held until the stop signal is sent: a server that
 * starts now waits, and then starts the database anew.
 */
export async function stopUnlessServerRuns(embedded: EmbeddedPostgres): Promise<void> {
  const giveUpAt = performance.now() + commandsEndWithinMs
  for (;;) {
    const others = await findOthers(embedded.connection).catch(undefinedIfTransient)
    if (!others || others.isServer) return
    const isOver = performance.now() > giveUpAt
    if (isOver || !others.areThere) {
      const lock = await tryServerLock(embedded.connection, 'exclusive').catch(undefinedIfTransient)
      const stopped = lock && embedded.stop('smart')
      await lock?.release()
      if (lock || isOver) return stopped
    }
    await sleep(50)
  }
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
    const isLast = !(await findOthers(embedded.connection)).areThere
    const stopped = isLast ? embedded.stop('smart') : undefined
    await lock.release()
    return stopped
  }
}
