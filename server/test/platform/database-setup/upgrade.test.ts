// Runs alone: takes long, it upgrades 100,000 messages

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { pino } from 'pino'
import { readConfig } from '../../../src/platform/config/config.ts'
import { type DatabaseAddress, openDbForLongStatements } from '../../../src/platform/database/db.ts'
import { migrate, underMigrationLock } from '../../../src/platform/database-setup/migrate.ts'
import { embeddedPostgres } from '../../../src/platform/embedded-postgres/embedded-postgres.ts'
import { readSecretKey } from '../../../src/platform/secrets/secret-key.ts'
import { runHere } from '../../helpers/commands.ts'
import { inDatabase, runStatement } from '../../helpers/databases.ts'
import { fillOldSchema, old, oldKey } from '../../helpers/old-data.ts'
import { makeOldSchema } from '../../helpers/old-schema.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { makeDataFolder, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

const movedToConnections =
  'each provider is a connection of its own now, which test/answers/model-providers/upgrade.test.ts compares'
const movedToContact = 'an opt-out is now stored with the contact, which is counted below'

/** Columns of version 0.1.0 that a migration has dropped or changed, each with the reason why nothing is lost. */
const changed: Record<string, string> = {
  'schema_migrations.applied_at': 'the rows of the old version are compared by their version and name',
  'campaigns.provider_url': movedToConnections,
  'campaigns.provider_key': movedToConnections,
  'conversations.handler': movedToContact,
  'conversations.handler_reason': movedToContact,
  'conversations.handler_since': movedToContact,
  'conversations.epoch': movedToContact,
}

/** Tables and columns of version 0.1.0 that have another name now. */
const renamed: Record<string, string> = {
  endpoints: 'receivers',
  'endpoints.kind': 'receivers.id',
  'deliveries.kind': 'deliveries.receiver_id',
}

function presentName(column: string): string {
  const [table = '', name = ''] = column.split('.')
  return renamed[column] ?? `${renamed[table] ?? table}.${name}`
}

test('a data folder of version 0.1.0 with 100,000 messages is upgraded without loss, and its pending replies and deliveries continue', async () => {
  await using folder = await makeDataFolder({ cluster: false })
  await using receiver = await startReceiver()
  await writeFile(join(folder.path, 'secret.key'), 'the key of the old version\n')
  const secretKey = await readSecretKey(readConfig({ DATA_DIR: folder.path }))
  const embedded = embeddedPostgres(join(folder.path, 'postgres'))
  await embedded.ensureRunning()
  await makeOldSchema(embedded.connection, old.schema)
  await fillOldSchema(embedded.connection, { secretKey, receiverUrl: receiver.url })
  await checkCopy(embedded.connection)
  await embedded.stop('fast')
  embedded[Symbol.dispose]()

  await using server = await startProcess({ DATA_DIR: folder.path })
  assert.equal(server.facts.accountId, undefined, 'no second owner is made')
  assert.equal((await server.post('/contacts', { phone: '+15551000003' }, oldKey(6))).status, 200)
  const owed = old.waiting + old.waitingAgain
  await until(() => receiver.requests.length >= owed + old.unanswered, 'pending replies did not arrive')
  assert.deepEqual(tally(receiver.requests.map(({ body }) => kindOf(body))), {
    owed,
    greeting: old.unanswered,
  })
  const count = (query: string) => countIn({ ...embedded.connection, host: join(folder.path, 'postgres') }, query)
  await until(
    async () => (await count('select from deliveries where due_at is not null')) === 0,
    'the outcomes were not stored',
  )
  const messages = old.accounts * old.contactsEach * old.messagesEach
  assert.equal(await count('select from messages'), messages + 2 * old.unanswered)
  assert.equal(await count('select from deliveries where sent_at is null'), old.failed)
  assert.equal(await count('select from turns'), 0)
  assert.equal(await count('select from contacts where opted_out_at is not null'), old.silenced)
  assert.equal(await count('select from unanswered_askers'), old.questions)
  const ledger = await runHere({ DATA_DIR: folder.path }, 'ledger', 'check', '--json')
  assert.deepEqual([ledger.code, ledger.stderr], [0, ''])
})

function kindOf(body: Buffer): string {
  return /Hello! How can I help you\?/.test(String(body)) ? 'greeting' : 'owed'
}

function tally(kinds: string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]))
}

/** Migrates a copy, and compares every row of it with the same row before. */
async function checkCopy(address: DatabaseAddress): Promise<void> {
  await runStatement(inDatabase(address, 'template1'), `create database copy template ${address.database}`)
  const copy = inDatabase(address, 'copy')
  const db = openDbForLongStatements(copy, pino({ enabled: false }))
  await underMigrationLock(db, migrate)
  await db.destroy()
  const columns = await readColumns(address)
  const kept = Map.groupBy(
    [...columns].filter((column) => changed[column] === undefined),
    (column) => column.split('.')[0] ?? '',
  )
  const present = await readColumns(copy)
  const lost = [...columns].filter((column) => !present.has(presentName(column)))
  assert.deepEqual(
    lost.filter((column) => changed[column] === undefined),
    [],
    'dropped without a reason',
  )
  for (const [table, names] of kept) {
    const where = table === 'schema_migrations' ? `where version <= ${old.schema}` : ''
    const sumOf = (table: string, names: string[]) => {
      const row = `row(${names.map((name) => name.split('.')[1]).join(', ')})::text`
      return `select count(*), sum(hashtextextended(${row}, 0)) from ${table} ${where}`
    }
    const now = await ask(copy, sumOf(renamed[table] ?? table, names.map(presentName)))
    assert.deepEqual(now, await ask(address, sumOf(table, names)), `rows of ${table} differ`)
  }
  await runStatement(address, 'drop database copy')
}

async function readColumns(address: DatabaseAddress): Promise<Set<string>> {
  const query = `select table_name || '.' || column_name as name
    from information_schema.columns where table_schema = 'public' order by ordinal_position`
  return new Set((await ask(address, query)).map(({ name }) => String(name)))
}

async function countIn(address: DatabaseAddress, query: string): Promise<number> {
  const [row] = await ask(address, `select count(*)::integer as count from (${query})`)
  return Number(row?.count)
}

async function ask(address: DatabaseAddress, query: string): Promise<Record<string, string>[]> {
  const client = new Client(address)
  await client.connect()
  const { rows } = await client.query(query)
  await client.end()
  return rows
}
