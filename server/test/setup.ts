import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type DatabaseAddress, openDb } from '../src/platform/db.ts'
import { embeddedPostgres } from '../src/platform/embedded-postgres/postmaster.ts'
import { migrate, underMigrationLock } from '../src/platform/migrate.ts'
import { inDatabase, runStatement } from './databases.ts'

/**
 * Runs once before all test files: a PostgreSQL (the embedded one, or that in DATABASE_URL), and in it a migrated
 * database that every test clones.
 */
let undo = async () => {}

export async function globalSetup(): Promise<void> {
  const { address, stop } = await openServer()
  const template = `patchbay_test_${randomBytes(4).toString('hex')}`
  await runStatement(address, `create database ${template}`)
  const db = openDb(inDatabase(address, template), pino({ enabled: false }), 1)
  await underMigrationLock(db, migrate)
  await db.destroy()
  process.env.PATCHBAY_TEST_SERVER = JSON.stringify({ address, template })
  undo = async () => {
    await runStatement(address, `drop database ${template} with (force)`)
    await stop()
  }
}

export async function globalTeardown(): Promise<void> {
  await undo()
}

async function openServer(): Promise<{ address: DatabaseAddress; stop: () => Promise<void> }> {
  const url = process.env.DATABASE_URL
  if (url) return { address: { connectionString: url }, stop: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-test-'))
  const embedded = embeddedPostgres(join(folder, 'postgres'))
  await embedded.ensureRunning()
  const stop = async () => {
    await embedded.stop('fast')
    await rm(folder, { recursive: true, force: true })
  }
  return { address: embedded.connection, stop }
}
