import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { pino } from 'pino'
import { acrossAccounts, type Db, openDb } from '../../../src/platform/database/db.ts'
import { embeddedPostgres } from '../../../src/platform/embedded-postgres/embedded-postgres.ts'
import { openClient } from '../https-client.ts'
import { type OwnerCall, openOwnerCalls } from '../owner-calls.ts'
import { type ServerProcess, startProcess } from '../server-process.ts'

/** A server with its database, in a folder of its own. */
export type Installation = AsyncDisposable & {
  dataDir: string
  server: ServerProcess
  db: Db
  call: OwnerCall
}

const cli = resolve(import.meta.dirname, '../../../cli.ts')

/** With `flags` for its Node. */
export async function startInstallation(
  environment: { DATA_DIR: string } & Record<string, string>,
  flags: string[] = [],
): Promise<Installation> {
  await using starting = new AsyncDisposableStack()
  const server = starting.use(
    await startProcess({ ROLE: 'all', ...environment }, { command: process.execPath, args: [...flags, cli] }),
  )
  const embedded = starting.use(embeddedPostgres(join(environment.DATA_DIR, 'postgres')))
  const db = acrossAccounts(openDb(embedded.connection, pino({ enabled: false }), 2))
  starting.defer(() => db.destroy())
  const client = openClient({ connections: 8 })
  starting.defer(() => client.close())
  const call = await openOwnerCalls(db, client, () => server.url)
  const started = starting.move()
  const stop = () => started.disposeAsync()
  return { dataDir: environment.DATA_DIR, server, db, call, [Symbol.asyncDispose]: stop }
}

let said = 0

/** What somebody of the shop types. */
export async function say(call: OwnerCall, contactId: string, body: string): Promise<void> {
  said += 1
  const given = { body, clientId: `client-id-around-a-backup-${said}` }
  const { status, body: answer } = await call('POST', `/api/conversations/${contactId}/replies`, given)
  assert.equal(status, 200, JSON.stringify(answer))
}
