import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { isTransientConnectionError } from '../database/connection-errors.ts'
import { type DatabaseAddress, type Db, openDb, openDbForLongStatements } from '../database/db.ts'
import { type EmbeddedPostgres, embeddedPostgres } from '../embedded-postgres/embedded-postgres.ts'
import type { Log } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { checkDatabase } from './check-database.ts'
import { migrate, migrationsBehind, underMigrationLock } from './migrate.ts'
import { isMigrating, type ServerLock, tryServerLock } from './server-lock.ts'

export type OpenDatabase = {
  db: Db
  address: DatabaseAddress
  close: () => Promise<void>
  /** Settles when this process must not go on, because another server has taken its place. */
  failed: Promise<OperatorError>
}

/** How long a server waits for one that is just ending, or for a database that is just starting. */
const predecessorEndsWithinMs = 2_000
const reachableWithinMs = 30_000

/** Opens the database for a server: starts the embedded one if need be, or reaches the one in DATABASE_URL. */
export async function openForServer(config: Config, log: Log): Promise<OpenDatabase> {
  return config.databaseUrl === undefined
    ? openEmbeddedForServer(config, log)
    : openSharedForServer({ connectionString: config.databaseUrl }, log)
}

async function openEmbeddedForServer(config: Config, log: Log): Promise<OpenDatabase> {
  const embedded = embeddedPostgres(join(config.dataDir, 'postgres'))
  let holding = lockAlone(embedded, config.dataDir)
  await holding
  const db = openDb(embedded.connection, log)
  let closing = false

  /** The lock is lost when the database died under us: it is started again, and requests in between are refused. */
  async function keepRunning(): Promise<OperatorError> {
    while (!closing) {
      try {
        const lock = await holding
        await lock.lost
      } catch (error) {
        if (error instanceof AnotherServer) return error
        log.error({ err: error }, 'the embedded database did not start')
        await sleep(1_000)
      }
      if (closing) break
      log.warn('the embedded database is gone; starting it again')
      holding = lockAlone(embedded, config.dataDir)
    }
    return new Promise(() => {})
  }

  const failed = keepRunning()
  async function close(): Promise<void> {
    closing = true
    const lock = await holding.catch(() => undefined) // a start in progress would undo the stop
    await db.destroy()
    await lock?.release().catch(() => {}) // it may have died before us
    await embedded.stop('fast')
    embedded[Symbol.dispose]()
  }
  await checkDatabase(db, 'embedded').catch((error) => close().then(() => Promise.reject(error)))
  return { db, address: embedded.connection, close, failed }
}

class AnotherServer extends OperatorError {}

async function lockAlone(embedded: EmbeddedPostgres, dataDir: string): Promise<ServerLock> {
  const latest = performance.now() + reachableWithinMs
  let giveUpAt = performance.now() + predecessorEndsWithinMs
  for (;;) {
    await embedded.ensureRunning()
    const lock = await tryServerLock(embedded.connection, 'alone').catch(undefinedIfItMayPass)
    if (lock) return lock
    // A command holds it too while it changes the schema, which takes seconds on a busy machine.
    const waits = await isMigrating(embedded.connection).catch(undefinedIfItMayPass)
    if (waits) giveUpAt = Math.min(performance.now() + predecessorEndsWithinMs, latest)
    if (performance.now() > giveUpAt) {
      throw new AnotherServer(`Another Patchbay server is running on ${dataDir}; stop it, or set another DATA_DIR.`)
    }
    await sleep(100)
  }
}

async function openSharedForServer(address: DatabaseAddress, log: Log): Promise<OpenDatabase> {
  await reach(address)
  const first = await lockShared(address)
  const db = openDb(address, log)
  const closing = new AbortController()
  const holding = keepShared(first, { address, db, closing: closing.signal })
  async function close(): Promise<void> {
    closing.abort()
    await holding.ended
    await db.destroy()
  }
  await checkDatabase(db, 'shared').catch((error) => close().then(() => Promise.reject(error)))
  return { db, address, close, failed: holding.failed }
}

/** Before anything else: from here on no migration that this version would not survive begins. */
async function lockShared(address: DatabaseAddress): Promise<ServerLock> {
  const giveUpAt = performance.now() + reachableWithinMs
  for (;;) {
    const lock = await tryServerLock(address, 'shared').catch(undefinedIfItMayPass)
    if (lock) return lock
    if (performance.now() > giveUpAt) {
      throw new OperatorError('A command has been changing the schema for half a minute; start again when it is done.')
    }
    await sleep(200)
  }
}

type Kept = { address: DatabaseAddress; db: Db; closing: AbortSignal }

/**
 * Keeps telling others that a server of this version runs, through every loss of the connection. While it was lost, a
 * newer version may have changed the schema: then this server must not go on.
 */
function keepShared(
  first: ServerLock,
  { address, db, closing }: Kept,
): { ended: Promise<void>; failed: Promise<OperatorError> } {
  const closed = new Promise<void>((resolve) => closing.addEventListener('abort', () => resolve()))
  const failed = Promise.withResolvers<OperatorError>()
  let lock: ServerLock | undefined = first
  async function keep(): Promise<void> {
    for (;;) {
      await Promise.race([closed, lock?.lost ?? sleep(1_000)])
      await lock?.release().catch(() => {})
      if (closing.aborted) return
      lock = await tryServerLock(address, 'shared').catch(() => undefined)
      if (lock) await migrationsBehind(db).catch(askAgainUnlessRefused)
    }
  }
  async function askAgainUnlessRefused(error: unknown): Promise<void> {
    if (error instanceof OperatorError) failed.resolve(error)
    else await lock?.release()
  }
  return { ended: keep(), failed: failed.promise }
}

/** Waits for a database that is starting beside us; a wrong name or password is told at once. */
async function reach(address: DatabaseAddress): Promise<void> {
  const giveUpAt = performance.now() + reachableWithinMs
  for (;;) {
    try {
      const lock = await tryServerLock(address, 'shared')
      await lock?.release()
      return
    } catch (cause) {
      if (isTransientConnectionError(cause) && performance.now() < giveUpAt) await sleep(500)
      else throw new OperatorError(`The database in DATABASE_URL cannot be used: ${reasonOf(cause)}.`, { cause })
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}

/**
 * Opens the same database for one command, beside a running server or without one. An embedded database that
 * had to be started is stopped again, unless a server has come meanwhile.
 */
export async function openForCommand(config: Config, log: Log): Promise<OpenDatabase> {
  const embedded = config.databaseUrl === undefined ? embeddedPostgres(join(config.dataDir, 'postgres')) : undefined
  const address = embedded?.connection ?? { connectionString: config.databaseUrl }
  const started = embedded ? (await embedded.ensureRunning()).started : false
  if (!embedded) await reach(address)
  const db = openDbForLongStatements(address, log, 2)
  async function close(): Promise<void> {
    await db.destroy()
    if (embedded && started) await stopUnlessServed(embedded)
    embedded?.[Symbol.dispose]()
  }
  await migrateUnlessServed(db, address).catch((error) => close().then(() => Promise.reject(error)))
  return { db, address, close, failed: new Promise(() => {}) }
}

/** A server that has just started is about to migrate, which takes seconds on a busy machine. */
const serverMigratesWithinMs = 15_000

async function migrateUnlessServed(db: Db, address: DatabaseAddress): Promise<void> {
  const giveUpAt = performance.now() + serverMigratesWithinMs
  while ((await migrationsBehind(db)) > 0) {
    const alone = await tryServerLock(address, 'alone')
    if (alone) await underMigrationLock(db, migrate).finally(alone.release)
    else if (performance.now() < giveUpAt) await sleep(100)
    else throw new OperatorError('The running server has an older database schema; restart it with this version first.')
  }
}

/** The lock is held until the signal is out, so a server that starts now waits and then finds nothing running. */
async function stopUnlessServed(embedded: EmbeddedPostgres): Promise<void> {
  const alone = await tryServerLock(embedded.connection, 'alone').catch(undefinedIfItMayPass)
  if (!alone) return
  const stopped = embedded.stop('smart')
  await alone.release()
  await stopped
}

function undefinedIfItMayPass(error: unknown): undefined {
  if (!isTransientConnectionError(error)) throw error
}
