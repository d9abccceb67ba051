// Runs alone: takes long, it starts databases and kills migrations

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { embeddedPostgres } from '../../../src/platform/embedded-postgres/embedded-postgres.ts'
import { makeOldSchema } from '../../helpers/old-schema.ts'
import {
  type DataFolder,
  makeDataFolder,
  type ServerProcess,
  serverEnvironment,
  startProcess,
} from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

const acknowledgements = 100

test('every acknowledgement comes after its write-ahead log was synced', async () => {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path, ROLE: 'api' }) // without a worker, every write is acknowledged
  const client = await openClient(folder)
  const settings = await ask(
    client,
    `select string_agg(name || '=' || setting, ' ' order by name) as found from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit')`,
  )
  assert.equal(settings.found, 'fsync=on full_page_writes=on synchronous_commit=on')
  const synced = Number((await ask(client, syncs)).found)
  assert.deepEqual(await countAheadOfDisk(server, client), { acknowledged: acknowledgements, ahead: 0 })
  await until(
    async () => Number((await ask(client, syncs)).found) - synced >= acknowledgements,
    'fewer syncs than acknowledgements that came one after the other',
  )
  await client.end()
})

test('the test above would detect a database that acknowledges before it syncs', async () => {
  await using folder = await makeDataFolder()
  await using server = await startProcess({ DATA_DIR: folder.path, ROLE: 'api' }) // without a worker, every write is acknowledged
  const client = await openClient(folder)
  client.on('error', () => {}) // the server may end the database first
  await client.query("alter system set wal_writer_delay = '10s'")
  await client.query('select pg_reload_conf()')
  await client.query('alter role patchbay set synchronous_commit = off')
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'patchbay'")
  await sleep(200)
  const { acknowledged, ahead } = await countAheadOfDisk(server, client)
  assert.ok(ahead > 0, `${ahead} of ${acknowledged}`)
  await client.end()
})

/** PostgreSQL 18 and later count syncs of the write-ahead log; each process reports its counts about once a second. */
const syncs = `select sum(fsyncs)::text as found from pg_stat_io where object = 'wal'`

/** Sends a hundred messages in sequence; `ahead`: how many were acknowledged before their commit was on disk. */
async function countAheadOfDisk(
  server: ServerProcess,
  client: Client,
): Promise<{ acknowledged: number; ahead: number }> {
  let [acknowledged, ahead] = [0, 0]
  for (let n = 0; n < acknowledgements; n += 1) {
    const { found: before } = await ask(client, 'select pg_current_wal_insert_lsn()::text as found')
    const message = { messageSid: `sid ${n}`, fromId: `person ${n}`, toId: 'shop', body: 'Hello' }
    const { status } = await server.post('/incoming_custom_channel_message', { customData: message })
    if (status !== 200) continue
    acknowledged += 1
    const { found } = await ask(client, `select (pg_current_wal_flush_lsn() > '${before}'::pg_lsn)::text as found`)
    if (found !== 'true') ahead += 1
  }
  return { acknowledged, ahead }
}

test('a migration interrupted by SIGKILL anywhere leaves the old schema whole, and the next start finishes it', async () => {
  await using folder = await makeDataFolder({ cluster: false })
  const embedded = embeddedPostgres(join(folder.path, 'postgres'))
  await embedded.ensureRunning()
  await makeOldSchema(embedded.connection, 6)
  const client = await openClient(folder)
  const before = await describe(client)
  for (const [round, statement] of [1, 4, 9].entries()) {
    await client.query(stopAt(statement))
    const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../../cli.ts'), 'start', '--json'], {
      env: serverEnvironment({ DATA_DIR: folder.path }),
    })
    let printed = ''
    child.stdout.on('data', (data) => (printed += data))
    await until(async () => (await sleepers(client)).length > 0, 'the migration did not reach the statement')
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    assert.equal(printed, '', `round ${round}: it printed that it was ready`)
    // The statement that was sent before the kill still runs, until it is ended or finds that its client is gone.
    for (const pid of await sleepers(client)) await client.query('select pg_terminate_backend($1)', [pid])
    await until(async () => (await sleepers(client)).length === 0, 'the statement runs on')
    await client.query('drop event trigger stop_here')
    assert.equal(await describe(client), before)
  }
  await client.end()
  embedded[Symbol.dispose]()
  await using server = await startProcess({ DATA_DIR: folder.path })
  assert.equal(await server.get('/readyz'), 200)
  assert.equal((await server.post('/contacts', { phone: '+15551234567' })).status, 201)
})

/** Makes the session that migrates sleep after this many of its statements. */
function stopAt(statement: number): string {
  return `
    drop sequence if exists changes;
    create sequence changes;
    create or replace function stop_here() returns event_trigger language plpgsql as $$
    begin
      if current_setting('application_name') = 'patchbay' and nextval('changes') = ${statement} then
        perform pg_sleep(300);
      end if;
    end $$;
    create event trigger stop_here on ddl_command_end execute function stop_here()`
}

async function sleepers(client: Client): Promise<number[]> {
  const { rows } = await client.query(`select pid from pg_stat_activity where wait_event = 'PgSleep'`)
  return rows.map(({ pid }) => pid)
}

async function describe(client: Client): Promise<string> {
  const { found } = await ask(
    client,
    `select string_agg(table_name || '.' || column_name || ' ' || data_type, ' ' order by
    table_name, column_name) as found from information_schema.columns where table_schema = 'public'`,
  )
  const { found: version } = await ask(client, 'select max(version)::text as found from schema_migrations')
  return `${version}: ${found}`
}

async function openClient(folder: DataFolder): Promise<Client> {
  const client = new Client({ host: join(folder.path, 'postgres'), user: 'patchbay', database: 'postgres' })
  await client.connect()
  return client
}

async function ask(client: Client, query: string): Promise<{ found: string }> {
  const { rows } = await client.query(query)
  return rows[0]
}
