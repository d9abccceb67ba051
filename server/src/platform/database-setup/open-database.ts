/*
 * Opens the database for a server or a command, and brings it to the schema of this version: start the embedded
 * PostgreSQL, take the server lock, check durability settings, and (`migrate.ts`) apply migrations.
 */

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { addressOf, addressOfHost } from '../database/address.ts'
import { isTransientConnectionError } from '../database/connection-errors.ts'
import { type DatabaseAddress, type Db, openDb, openDbForLongStatements } from '../database/db.ts'
import { archiveSettings, archivesTo, openArchive, readArchive } from '../embedded-postgres/archive.ts'
import { type EmbeddedPostgres, embeddedPostgres } from '../embedded-postgres/embedded-postgres.ts'
import { connectionsFor } from '../embedded-postgres/settings.ts'
import type { Log } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { allows, checkConnections } from './check-connections.ts'
import { checkDatabase } from './check-database.ts'
import { migrate, migrationsBehind, underMigrationLock } from './migrate.ts'
import { isMigrating, type ServerLock, tryServerLock } from './server-lock.ts'
import { stopUnlessServerRuns } from './stop-embedded.ts'

export type OpenDatabase = {
  db: Db
  address: DatabaseAddress
  close: () => Promise<void>
  /**
   * Settles when this process must stop: another server runs on the same data, or a newer version changed the schema.
   */
  failed: Promise<OperatorError>
}

/** How long a server waits for its predecessor to end, and for a database to become reachable. */
const predecessorEndsWithinMs = 2_000
const reachableWithinMs = 30_000

/** Opens the database for a server: starts the embedded one if necessary, or connects to the one in DATABASE_URL. */
export async function openForServer(config: Config, log: Log): Promise<OpenDatabase> {
  return config.databaseUrl === undefined
    ? openEmbeddedForServer(config, log)
    : openSharedForServer(addressOf(config.databaseUrl), config.processes, log)
}

async function openEmbeddedForServer(config: Config, log: Log): Promise<OpenDatabase> {
  const archive = await openArchive(config.dataDir, config.archiveDir)
  const connections = connectionsFor(config.processes)
  const settings = { ...archiveSettings(archive), max_connections: String(connections) }
  const embedded = embeddedPostgres(join(config.dataDir, 'postgres'), { settings })
  let holding = lockExclusively(embedded, config.dataDir)
  const first = await holding
  const allowsAll = config.processes === 1 || (await allows(embedded.connection, connections))
  if (!allowsAll || !(await archivesTo(embedded.connection, archive))) {
    log.warn('the database was running with another ARCHIVE_DIR, or for fewer PROCESSES; restarting it')
    await embedded.stop('fast')
    await first.lost
    holding = lockExclusively(embedded, config.dataDir)
    await holding
  }
  const address = addressOfHost(embedded.connection) // the lock is taken without waiting, to start what is not there
  const db = openDb(address, log)
  let closing = false

  /** The lock is lost when the database died: it is started again, and requests in between fail. */
  async function keepRunning(): Promise<OperatorError> {
    while (!closing) {
      try {
        const lock = await holding
        await lock.lost
      } catch (error) {
        if (error instanceof AnotherServerRuns) return error
        log.error({ err: error }, 'the embedded database did not start')
        await sleep(1_000)
      }
      if (closing) break
      log.warn('the embedded database is gone; starting it again')
      holding = lockExclusively(embedded, config.dataDir)
    }
    return new Promise(() => {})
  }

  const failed = keepRunning()
  async function close(): Promise<void> {
    closing = true
    const lock = await holding.catch(() => undefined) // a start in progress would undo the stop
    await db.destroy()
    await lock?.release().catch(() => {}) // the database may be gone already
    await embedded.stop('fast')
    embedded[Symbol.dispose]()
  }
  await checkDatabase(db, 'embedded').catch((error) => close().then(() => Promise.reject(error)))
  return { db, address, close, failed }
}

class AnotherServerRuns extends OperatorError {}

async function lockExclusively(embedded: EmbeddedPostgres, dataDir: string): Promise<ServerLock> {
  const latestGiveUpAt = performance.now() + reachableWithinMs
  let giveUpAt = performance.now() + predecessorEndsWithinMs
  for (;;) {
    await embedded.ensureRunning()
    const lock = await tryServerLock(embedded.connection, 'exclusive').catch(undefinedIfTransient)
    if (lock) return lock
    // A command also holds the lock while it migrates, which takes seconds on a busy machine.
    const isBusy = await isMigrating(embedded.connection).catch(undefinedIfTransient)
    if (isBusy) giveUpAt = Math.min(performance.now() + predecessorEndsWithinMs, latestGiveUpAt)
    if (performance.now() > giveUpAt) {
      throw new AnotherServerRuns(`Another Patchbay server is running on ${dataDir}; stop it, or set another DATA_DIR.`)
    }
    await sleep(100)
  }
}

async function openSharedForServer(address: DatabaseAddress, processes: number, log: Log): Promise<OpenDatabase> {
  await waitUntilReachable(address)
  const first = await lockShared(address)
  const db = openDb(address, log)
  const closing = new AbortController()
  const holding = holdShared(first, { address, db, closing: closing.signal })
  async function close(): Promise<void> {
    closing.abort()
    await holding.ended
    await db.destroy()
  }
  const check = () => checkDatabase(db, 'shared').then(() => checkConnections(db, processes))
  await check().catch((error) => close().then(() => Promise.reject(error)))
  return { db, address, close, failed: holding.failed }
}

/** Called before anything else: from here on, no migration begins that is incompatible with this version. */
async function lockShared(address: DatabaseAddress): Promise<ServerLock> {
  const giveUpAt = performance.now() + reachableWithinMs
  for (;;) {
    const lock = await tryServerLock(address, 'shared').catch(undefinedIfTransient)
    if (lock) return lock
    if (performance.now() > giveUpAt) {
      throw new OperatorError('A command has been changing the schema for half a minute; start again when it is done.')
    }
    await sleep(200)
  }
}

type HoldOptions = { address: DatabaseAddress; db: Db; closing: AbortSignal }

/**
 * Holds the shared server lock, and takes it again after every loss of the connection. While it was lost, a newer
 * version may have changed the schema incompatibly: then this server must stop.
 */
function holdShared(
  first: ServerLock,
  { address, db, closing }: HoldOptions,
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
      if (lock) await migrationsBehind(db).catch(retryUnlessRefused)
    }
  }
  async function retryUnlessRefused(error: unknown): Promise<void> {
    if (error instanceof OperatorError) failed.resolve(error)
    else await lock?.release()
  }
  return { ended: keep(), failed: failed.promise }
}

/** Waits for a database that is still starting; other errors, such as a wrong name or password, are thrown at once. */
async function waitUntilReachable(address: DatabaseAddress): Promise<void> {
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
 * Opens the same database for one command, beside a running server or without one. An embedded database that the
 * command has started is stopped again, unless a server has started meanwhile.
 */
export async function openForCommand(config: Config, log: Log): Promise<OpenDatabase> {
  const embedded = config.databaseUrl === undefined ? await embeddedForCommand(config) : undefined
  const address = embedded?.connection ?? addressOf(config.databaseUrl ?? '')
  const started = embedded ? (await embedded.ensureRunning()).started : false
  if (!embedded) await waitUntilReachable(address)
  const db = openDbForLongStatements(address, log, 2)
  async function close(): Promise<void> {
    await db.destroy()
    if (embedded && started) await stopUnlessServerRuns(embedded)
    embedded?.[Symbol.dispose]()
  }
  await migrateUnlessServerRuns(db, address).catch((error) => close().then(() => Promise.reject(error)))
  return { db, address, close, failed: new Promise(() => {}) }
}

async function embeddedForCommand({ dataDir }: Config): Promise<EmbeddedPostgres> {
  return embeddedPostgres(join(dataDir, 'postgres'), { settings: archiveSettings(await readArchive(dataDir)) })
}

/** A server that has just started migrates itself, which takes seconds on a busy machine. */
const serverMigratesWithinMs = 15_000

async function migrateUnlessServerRuns(db: Db, address: DatabaseAddress): Promise<void> {
  const giveUpAt = performance.now() + serverMigratesWithinMs
  while ((await migrationsBehind(db)) > 0) {
    const lock = await tryServerLock(address, 'exclusive')
    if (lock) await underMigrationLock(db, migrate).finally(lock.release)
    else if (performance.now() < giveUpAt) await sleep(100)
    else throw new OperatorError('The running server has an older database schema; restart it with this version first.')
  }
}

function undefinedIfTransient(error: unknown): undefined {
  if (!isTransientConnectionError(error)) throw error
}
