import assert from 'node:assert/strict'
import { pino } from 'pino'
import { readConfig } from '../../src/platform/config/config.ts'
import { acrossAccounts, openDb } from '../../src/platform/database/db.ts'
import { openOutbound } from '../../src/platform/outbound/client.ts'
import { readSecretKey } from '../../src/platform/secrets/secret-key.ts'
import { makeDatabase, urlOf } from './databases.ts'
import { makeDataFolder, startProcess } from './server-process.ts'

/** Processes that share one database, as on several machines; one with ROLE=api is running, with `ofApi` besides. */
export async function startShared(more: Record<string, string> = {}, ofApi: Record<string, string> = {}) {
  await using starting = new AsyncDisposableStack()
  const folder = starting.use(await makeDataFolder({ cluster: false }))
  const database = starting.use(await makeDatabase())
  const environment = {
    DATA_DIR: folder.path,
    DATABASE_URL: urlOf(database.address),
    SECRET_KEY: 'the same on every machine',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32',
    LOG_LEVEL: 'warn',
    ...more,
  }
  const db = acrossAccounts(openDb(database.address, pino({ enabled: false }), 8))
  starting.defer(() => db.destroy())
  const startAs = (role: string) => startProcess({ ...environment, ...(role === 'api' && ofApi), ROLE: role })
  const api = starting.use(await startAs('api'))
  const { ownerAccountId: accountId } = await db.selectFrom('installation').selectAll().executeTakeFirstOrThrow()
  assert.ok(accountId)
  const config = readConfig(environment)
  const outbound = openOutbound({ allowed: config.outboundAllowed })
  const ctx = { db, config, outbound, secretKey: await readSecretKey(config) }
  const started = starting.move()
  const start = async (role: string) => started.use(await startAs(role))
  return { db, accountId, ctx, api, start, started, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
