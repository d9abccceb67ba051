import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { readConfig } from '../src/platform/config/config.ts'
import { type DatabaseAddress, openDb } from '../src/platform/database/db.ts'
import { migrate, underMigrationLock } from '../src/platform/database-setup/migrate.ts'
import { findBinaries } from '../src/platform/embedded-postgres/binaries.ts'
import { ensureCluster } from '../src/platform/embedded-postgres/cluster.ts'
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
  process.env.PATCHBAY_TEST_DATA = await makeData(join(folder, 'data'))
  const { address, stop } = await openServer(folder)
  const template = `patchbay_test_${randomBytes(4).toString('hex')}`
  await runStatement(address, `create database ${template}`)
  const db = openDb(inDatabase(address, template), pino({ enabled: false }), 1)
  await underMigrationLock(db, migrate)
  await db.destroy()
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

/** The initial DATA_DIR of tests that start their own server. */
async function makeData(dataDir: string): Promise<string> {
  await ensureCluster(await findBinaries(), join(dataDir, 'postgres'))
  await tlsFiles(readConfig({ DATA_DIR: dataDir }))
  return dataDir
}

async function openServer(folder: string): Promise<{ address: DatabaseAddress; stop: () => Promise<void> }> {
  const url = process.env.DATABASE_URL
  if (url) return { address: { connectionString: url }, stop: async () => {} }
  const embedded = embeddedPostgres(join(folder, 'postgres'))
  await embedded.ensureRunning()
  return { address: embedded.connection, stop: () => embedded.stop('fast') }
}
