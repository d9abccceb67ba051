/*
 * Opens the database for a server or a command, and brings it to the schema of this version: start the embedded
 * PostgreSQL, take the server lock, check durability settings, and (`migrate.ts`) apply migrations.
 */

import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { addressOf, addressOfHost } from '../database/address.ts'
import { type DatabaseAddress, type Db, openDb, openDbForLongStatements } from '../database/db.ts'
import { isTransientConnectionError, undefinedIfTransient } from '../database/errors.ts'
import { archiveSettings, archivesTo, openArchive, readArchive } from '../embedded-postgres/archive.ts'
import { type EmbeddedPostgres, embeddedPostgres } from '../embedded-postgres/embedded-postgres.ts'
import { connectionsFor } from '../embedded-postgres/settings.ts'
import type { Log } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { allows, checkConnections, checkDatabase } from './check-database.ts'
import { AnotherServerRuns, lockExclusively } from './lock-exclusively.ts'
import { migrate, migrationsBehind, underMigrationLock } from './migrate.ts'
import { type ServerLock, tryServerLock } from './server-lock.ts'
import { stopUnlessServerRuns } from './stop-embedded.ts'

export type OpenDatabase = {
  db: Db
  address: DatabaseAddress
  /** The number of this server, among those that run on the database; 0: it is no server. */
  number: number
  close: () => Promise<void>
  /** Settles when this process must stop: another server runs on the data, or a newer version changed the schema. */
  failed: Promise<OperatorError>
}

/** How long a server waits for a database to become reachable. */
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
  const onWait = (reason: string) => log.warn({ reason }, 'waiting for the embedded database')
  const embedded = embeddedPostgres(join(config.dataDir, 'postgres'), { settings, endsStopping: true, onWait })
  const number = newNumber()
  const lock = () => lockExclusively(embedded, config.dataDir, number)
  let holding = lock()
  const first = await holding
  const allowsAll = config.processes === 1 || (await allows(embedded.connection, connections))
  if (!allowsAll || !(await archivesTo(embedded.connection, archive))) {
    log.warn('the database was running with another ARCHIVE_DIR, or for fewer PROCESSES; restarting it')
    await embedded.stop('fast')
    await first.lost
    holding = lock()
    await holding
  }
  const address = addressOfHost(embedded.connection) // the lock is taken without waiting, to start what is not there
  const db = openDb(address, log)
  let closing = false

  /**
   * The lock is lost when the database died: it is started again, and requests in between fail. The same when it was told
   * to stop, which it would not do before our own sessions end.
   */
  async function keepRunning(): Promise<OperatorError> {
    while (!closing) {
      const looking = new AbortController()
      try {
        const held = await holding
        await Promise.race([held.lost, embedded.untilStopping(looking.signal)])
      } catch (error) {
        if (error instanceof AnotherServerRuns) return error
        log.error({ err: error }, 'the embedded database did not start')
        await sleep(1_000)
      } finally {
        looking.abort()
      }
      if (closing) break
      log.warn('the embedded database is gone, or was told to stop; starting it again')
      holding = lock()
    }
    return new Promise(() => {})
  }

  const failed = keepRunning()
  async function close(): Promise<void> {
    closing = true
    const held = await holding.catch(() => undefined) // a start in progress would undo the stop
    await db.destroy()
    await held?.release().catch(() => {}) // the database may be gone already
    await embedded.stop('fast')
    embedded[Symbol.dispose]()
  }
  await checkDatabase(db, 'embedded').catch((error) => close().then(() => Promise.reject(error)))
  return { db, address, number, close, failed }
}

/** Any number that no other server of the database is likely to have. */
function newNumber(): number {
  return randomInt(1, 2 ** 31)
}

async function openSharedForServer(address: DatabaseAddress, processes: number, log: Log): Promise<OpenDatabase> {
  await waitUntilReachable(address)
  const number = newNumber()
  const first = await lockShared(address, number)
  const db = openDb(address, log)
  const closing = new AbortController()
  const holding = holdShared(first, { address, number, db, closing: closing.signal })
  async function close(): Promise<void> {
    closing.abort()
    await holding.ended
    await db.destroy()
  }
  const check = () => checkDatabase(db, 'shared').then(() => checkConnections(db, processes))
  await check().catch((error) => close().then(() => Promise.reject(error)))
  return { db, address, number, close, failed: holding.failed }
}

/** Called before anything else: from here on, no migration begins that is incompatible with this version. */
async function lockShared(address: DatabaseAddress, number: number): Promise<ServerLock> {
  const giveUpAt = performance.now() + reachableWithinMs
  for (;;) {
    const lock = await tryServerLock(address, 'shared', number).catch(undefinedIfTransient)
    if (lock) return lock
    if (performance.now() > giveUpAt) {
      throw new OperatorError('A command has been changing the schema for half a minute; start again when it is done.')
    }
    await sleep(200)
  }
}

/**
 * Holds the shared server lock, and takes it again after every loss of the connection. While it was lost, a newer
 * version may have changed the schema incompatibly: then this server must stop.
 */
function holdShared(
  first: ServerLock,
  { address, number, db, closing }: { address: DatabaseAddress; number: number; db: Db; closing: AbortSignal },
): { ended: Promise<void>; failed: Promise<OperatorError> } {
  const closed = new Promise<void>((resolve) => closing.addEventListener('abort', () => resolve()))
  const failed = Promise.withResolvers<OperatorError>()
  let lock: ServerLock | undefined = first
  async function keep(): Promise<void> {
    for (;;) {
      await Promise.race([closed, lock?.lost ?? sleep(1_000)])
      await lock?.release().catch(() => {})
      if (closing.aborted) return
      lock = await tryServerLock(address, 'shared', number).catch(() => undefined)
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
export async function openForCommand(config: Config, log: Log, onWait: OnWait): Promise<OpenDatabase> {
  const embedded = config.databaseUrl === undefined ? await embeddedForCommand(config, onWait) : undefined
  const address = embedded?.connection ?? addressOf(config.databaseUrl ?? '')
  let started = false
  if (!embedded) await waitUntilReachable(address)
  const db = openDbForLongStatements(address, log, 2)
  /** What was running a moment ago may be told to stop by whoever started it, before this command is connected. */
  async function open(): Promise<void> {
    const giveUpAt = performance.now() + reachableWithinMs
    for (;;) {
      try {
        if (embedded && (await embedded.ensureRunning()).started) started = true
        return await migrateUnlessServerRuns(db, address)
      } catch (error) {
        if (!isTransientConnectionError(error) || performance.now() > giveUpAt) throw error
        await sleep(100)
      }
    }
  }
  async function close(): Promise<void> {
    await db.destroy()
    if (embedded && started) await stopUnlessServerRuns(embedded)
    embedded?.[Symbol.dispose]()
  }
  await open().catch((error) => close().then(() => Promise.reject(error)))
  return { db, address, number: 0, close, failed: new Promise(() => {}) }
}

type OnWait = (reason: string) => void

async function embeddedForCommand({ dataDir }: Config, onWait: OnWait): Promise<EmbeddedPostgres> {
  return embeddedPostgres(join(dataDir, 'postgres'), { settings: archiveSettings(await readArchive(dataDir)), onWait })
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
