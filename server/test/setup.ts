import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { readConfig } from '../src/platform/config/config.ts'
import { type DatabaseAddress, openDb } from '../src/platform/database/db.ts'
import { migrate, underMigrationLock } from '../src/platform/database-setup/migrate.ts'
import { embeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { tlsFiles } from '../src/platform/https-server/certificate-files.ts'
import { inDatabase, runStatement } from './helpers/databases.ts'

let running: AsyncDisposableStack | undefined

/**
 * Runs once before all test files: a PostgreSQL (the embedded one, or that in DATABASE_URL), and in it a migrated
 * database that every test clones. If it fails, nothing of it is left.
 */
export async function globalSetup(): Promise<void> {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(await fastestFolder(), `patchbay-test-${process.pid}-`))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const data = await makeData(started, join(folder, 'data'))
  process.env.PATCHBAY_TEST_DATA = data
  const template = `patchbay_test_${randomBytes(4).toString('hex')}`
  const address = await openServer(started, folder, { data, template })
  started.defer(() => runStatement(address, `drop database ${template} with (force)`))
  process.env.PATCHBAY_TEST_SERVER = JSON.stringify({ address, template })
  running = started.move()
}

export async function globalTeardown(): Promise<void> {
  await running?.disposeAsync()
}

const leastFreeBytes = 6 * 2 ** 30

/**
 * In memory where there is plenty: a test's database is made and dropped in a third of the time. The tests of what is on
 * disk after a crash start databases of their own in the temporary folder.
 */
async function fastestFolder(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  return Math.min(bavail * bsize, freemem()) >= leastFreeBytes ? memory : tmpdir()
}

/**
 * The initial DATA_DIR of tests that start their own server: a cluster, whose database has the schema, and a certificate.
 * Bringing it to the schema would take each of them half a second of processor time.
 */
async function makeData(started: AsyncDisposableStack, dataDir: string): Promise<string> {
  const embedded = openEmbedded(started, dataDir)
  await embedded.ensureRunning()
  await makeSchema(embedded.connection)
  await embedded.stop('fast')
  await tlsFiles(readConfig({ DATA_DIR: dataDir }))
  return dataDir
}

/** Stops at the end also one that was started and did not become ready. */
function openEmbedded(started: AsyncDisposableStack, folder: string, settings: Record<string, string> = {}) {
  const embedded = started.use(embeddedPostgres(join(folder, 'postgres'), { settings }))
  started.defer(() => embedded.stop('fast'))
  return embedded
}

async function makeSchema(address: DatabaseAddress): Promise<void> {
  await using db = openDb(address, pino({ enabled: false }), 1)
  await underMigrationLock(db, migrate)
}

/**
 * A server with the database that tests clone: a copy of the cluster above, or that in DATABASE_URL. PostgreSQL looks
 * through all its buffers whenever a database is made or dropped, and each connection maps them: with those that a large
 * machine is given, both take half as much processor time again. Several processes of tests have a server or two each.
 */
async function openServer(
  started: AsyncDisposableStack,
  folder: string,
  { data, template }: { data: string; template: string },
): Promise<DatabaseAddress> {
  const url = process.env.DATABASE_URL
  if (url) {
    const address = { connectionString: url }
    await runStatement(address, `create database ${template}`)
    await makeSchema(inDatabase(address, template))
    return address
  }
  await promisify(execFile)('cp', ['-a', join(data, 'postgres'), folder])
  const embedded = openEmbedded(started, folder, { shared_buffers: '128MB', max_connections: '400' })
  await embedded.ensureRunning()
  const address = embedded.connection
  const copy = `create database ${template} template ${address.database} strategy file_copy`
  await runStatement(inDatabase(address, 'template1'), copy) // nobody may be connected to the database that is copied
  return address
}
