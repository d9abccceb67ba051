import { randomBytes } from 'node:crypto'
import { Client, Pool } from 'pg'
import type { DatabaseAddress } from '../../src/platform/database/db.ts'
import './watch-prepared.ts'

export type TestDatabase = { address: DatabaseAddress; [Symbol.asyncDispose]: () => Promise<void> }

/**
 * A database of a test's own: a copy of the migrated one, or an empty one, dropped when the test ends. Its files are
 * copied: through the write-ahead log, as is the default, making and dropping it takes half as much processor time again.
 */
export async function makeDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const { address, template } = testServer()
  const name = `${template}_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} template ${empty ? 'template1' : template} strategy file_copy`)
  return {
    address: inDatabase(address, name),
    [Symbol.asyncDispose]: () => administer(`drop database if exists ${name} with (force)`),
  }
}

let administration: Pool | undefined

/** On one connection for all tests of a file, which does not keep their process alive. */
async function administer(statement: string): Promise<void> {
  administration ??= new Pool({ ...testServer().address, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  await administration.query(statement)
}

/** The same server, another database. */
export function inDatabase(address: DatabaseAddress, database: string): DatabaseAddress {
  if (!address.connectionString) return { ...address, database }
  const url = new URL(address.connectionString)
  url.pathname = database
  return { connectionString: url.href }
}

/** The address as DATABASE_URL takes it. */
export function urlOf(address: DatabaseAddress): string {
  if (address.connectionString) return address.connectionString
  const query = new URLSearchParams({ host: address.host ?? '', user: address.user ?? '' })
  return `postgres:///${address.database}?${query}`
}

function testServer(): { address: DatabaseAddress; template: string } {
  const text = process.env.PATCHBAY_TEST_SERVER
  if (!text) throw new Error('run the tests with npm test: it starts their database')
  return JSON.parse(text)
}

/** For one statement, on a connection of its own. */
export async function runStatement(address: DatabaseAddress, statement: string): Promise<void> {
  const client = new Client(address)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
