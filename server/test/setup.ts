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

/**
 * Runs once before all test files: a PostgreSQL (the embedded one, or that in DATABASE_URL), and in it a migrated
 * database that every test clones.
 */
let undo = async () => {}

export async function globalSetup(): Promise<void> {
  const folder = await mkdtemp(join(await fastestFolder(), 'patchbay-test-'))
  const data = await makeData(join(folder, 'data'))
  process.env.PATCHBAY_TEST_DATA = data
  const template = `patchbay_test_${randomBytes(4).toString('hex')}`
  const { address, stop } = await openServer(folder, { data, template })
  process.env.PATCHBAY_TEST_SERVER = JSON.stringify({ address, template })
  undo = async () => {
    await runStatement(address, `drop database ${template} with (force)`)
    await stop()
    await rm(folder, { recursive: true, force: true })
  }
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

export async function globalTeardown(): Promise<void> {
  await undo()
}

/**
 * The initial DATA_DIR of tests that start their own server: a cluster, whose database has the schema, and a certificate.
 * Bringing it to the schema would take each of them half a second of processor time.
 */
async function makeData(dataDir: string): Promise<string> {
  using embedded = embeddedPostgres(join(dataDir, 'postgres'))
  await embedded.ensureRunning()
  await makeSchema(embedded.connection)
  await embedded.stop('fast')
  await tlsFiles(readConfig({ DATA_DIR: dataDir }))
  return dataDir
}

async function makeSchema(address: DatabaseAddress): Promise<void> {
  const db = openDb(address, pino({ enabled: false }), 1)
  await underMigrationLock(db, migrate)
  await db.destroy()
}

/** A server with the database that tests clone: a copy of the cluster above, or that in DATABASE_URL. */
async function openServer(
  folder: string,
  { data, template }: { data: string; template: string },
): Promise<{ address: DatabaseAddress; stop: () => Promise<void> }> {
  const url = process.env.DATABASE_URL
  if (url) {
    const address = { connectionString: url }
    await runStatement(address, `create database ${template}`)
    await makeSchema(inDatabase(address, template))
    return { address, stop: async () => {} }
  }
  await promisify(execFile)('cp', ['-a', join(data, 'postgres'), folder])
  const embedded = embeddedPostgres(join(folder, 'postgres'))
  await embedded.ensureRunning()
  const { connection: address, stop } = embedded
  const copy = `create database ${template} template ${address.database} strategy file_copy`
  await runStatement(inDatabase(address, 'template1'), copy) // nobody may be connected to the database that is copied
  return { address, stop: () => stop('fast') }
}
