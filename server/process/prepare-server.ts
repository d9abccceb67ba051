import type { AppFiles } from '../src/app/page/open-app-files.ts'
import { readWorkPause } from '../src/platform/backup/installation.ts'
import { type Config, publicUrlAt } from '../src/platform/config/config.ts'
import { type DatabaseAddress, openDbForLongStatements } from '../src/platform/database/db.ts'
import { retryOnLostConnection } from '../src/platform/database/retry.ts'
import { openForServer } from '../src/platform/database-setup/open-database.ts'
import { noteServer } from '../src/platform/database-setup/running-servers.ts'
import { openDataFolder } from '../src/platform/files.ts'
import { readPair, tlsFiles, warnIfExpired } from '../src/platform/https-server/certificate-files.ts'
import { reservePort } from '../src/platform/https-server/reserve-port.ts'
import type { Log } from '../src/platform/log.ts'
import type { Instruments } from '../src/platform/metrics/instruments.ts'
import { findKeyText } from '../src/platform/secrets/secret-key.ts'
import { type FirstStart, type Migrated, type PreparedDatabase, prepareDatabase } from './first-start.ts'
import { startMetrics } from './start-metrics.ts'

/** What the first start has created, before it is committed. */
export type Made = { port: number; certificateFile: string; firstStart: FirstStart }

export type Opening = {
  instruments: Instruments
  /** Saves the credentials of the first start: if it fails, nothing is committed. */
  keep: (made: Made) => Promise<void>
  /** Makes the build of the web app, if it is not there. */
  openFiles: () => Promise<AppFiles>
}

export type Prepared = Awaited<ReturnType<typeof prepareServer>>

/** Everything that is done once, however many processes serve. */
export async function prepareServer(
  started: AsyncDisposableStack,
  given: Config,
  log: Log,
  { instruments, keep, openFiles }: Opening,
) {
  if (given.databaseUrl === undefined) await openDataFolder(given.dataDir)
  await findKeyText(given)
  const files = await tlsFiles(given)
  const pair = await readPair(files)
  warnIfExpired(pair, files, log)
  const reserved = started.use(await reservePort(given))
  const { port } = reserved
  const metrics = started.use(await startMetrics(given, log, instruments))
  const config = { ...given, publicUrl: publicUrlAt(given, port) }
  const filesOpened = config.servesApp ? openFiles() : undefined // builds while the database starts

  const database = await openForServer(config, log)
  started.defer(database.close)
  const { address } = database
  const { firstStart, secretKey } = await prepare(address, config, {
    log,
    keep: (made) => keep({ port, certificateFile: files.cert, firstStart: made }),
  })
  await retryOnLostConnection(() => noteServer(database, { ...config, port }), databaseBackWithinMs)
  const pausedAt = await retryOnLostConnection(() => readWorkPause(database.db), databaseBackWithinMs)
  if (pausedAt)
    log.warn({ pausedAt }, 'this restored copy is paused and sends nothing; to end that: npx patchbay resume')
  started.use(metrics.watchDatabase(address))
  const tls = { files, pair }
  const isPaused = pausedAt !== null
  const appFiles = await filesOpened
  return { config, secretKey, tls, reserved, instruments, metrics, database, firstStart, isPaused, appFiles }
}

/** How long to retry when the connection is lost during preparation. */
const databaseBackWithinMs = 30_000

/** No response timeout: migrations take as long as there is data to move. */
async function prepare(
  address: DatabaseAddress,
  config: Config,
  { log, keep }: { log: Log; keep: (made: FirstStart) => Promise<void> },
): Promise<PreparedDatabase> {
  await using db = openDbForLongStatements(address, log)
  const onMigrated = (migrated: Migrated) => log.info(migrated, 'the schema was migrated')
  const onWait = (reason: string) => log.warn({ reason }, 'waiting to start')
  // Of two containers on one volume, the refused one stops the database if it was the one that had started it.
  return await retryOnLostConnection(
    () => prepareDatabase(db, config, { keep, onWait, onMigrated }),
    databaseBackWithinMs,
  )
}
