import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import type { DatabaseAddress } from '../../src/platform/database/db.ts'

export type TestDatabase = { address: DatabaseAddress; [Symbol.asyncDispose]: () => Promise<void> }

/** A database of a test's own: a copy of the migrated one, or an empty one, dropped when the test ends. */
export async function makeDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const { address, template } = testServer()
  const name = `${template}_${randomBytes(6).toString('hex')}`
  await runStatement(address, empty ? `create database ${name}` : `create database ${name} template ${template}`)
  return {
    address: inDatabase(address, name),
    [Symbol.asyncDispose]: () => runStatement(address, `drop database if exists ${name} with (force)`),
  }
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

/** For statements such as `create database`, on a connection of their own. */
export async function runStatement(address: DatabaseAddress, statement: string): Promise<void> {
  const client = new Client(address)
  await client.connect()
  await client.query(statement)
  await client.end()
}
