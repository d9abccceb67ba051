import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { test } from 'node:test'
import { type KyselyPlugin, sql } from 'kysely'
import { pino } from 'pino'
import { openDb, openPool } from '../../../src/platform/database/db.ts'
import { createApp } from '../../../src/platform/http/create-app.ts'
import { healthRoutes } from '../../../src/platform/http/health.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { startApp } from '../../helpers/harness.ts'
import { openClient } from '../../helpers/https-client.ts'
import { until } from '../../helpers/until.ts'

test('/readyz queries the database at most once a second, however many requests come and whether it is up or down', async () => {
  await using database = await makeDatabase()
  const log = pino({ level: 'silent' })
  await using db = openDb(database.address, log)
  let queries = 0
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const app = createApp(log, (handler) => createServer(handler))
  healthRoutes(app, db.withPlugin(counting))
  const ask = async () => (await app.inject('/readyz')).statusCode
  await ask()
  const queriesEach = queries

  const began = performance.now()
  const answers = new Set<number>()
  for (let count = 0; count < 500; count += 1) answers.add(await ask())
  await db.destroy()
  await until(async () => (await ask()) === 500, '/readyz does not report that the database is gone')
  const queriesBefore = queries
  await Promise.all(Array.from({ length: 500 }, ask))
  const seconds = (performance.now() - began) / 1_000
  assert.deepEqual([...answers], [200])
  assert.ok(queries <= queriesEach * (2 + seconds), `${queries} queries in ${seconds} s`)
  assert.ok(queries - queriesBefore <= queriesEach * (1 + seconds))
  await app.close()
})

test('while writes find no room on the disk they get 500 with Retry-After, and /readyz is 500; both heal by themselves', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const client = openClient({ certificate: app.certificate })
  const isReady = async () => (await client.send(`${app.url}/readyz`)).status === 200
  const incoming = () => ({ messageSid: crypto.randomUUID(), fromId: 'ana', toId: 'shop', body: 'Hello' })
  const writes = {
    '/contacts': () => ({ email: `${crypto.randomUUID()}@example.com` }),
    '/incoming_custom_channel_message': () => ({ customData: incoming() }),
    '/send_custom_channel_message': () => ({ customData: { fromId: 'ana', customChannel: 'shop', body: 'Hello' } }),
  }
  const writeAll = async () =>
    Promise.all(
      Object.entries(writes).map(([path, body]) => shop.post(path, body()).then((answer) => ({ path, ...answer }))),
    )
  for (const { path, status } of await writeAll()) assert.ok(status < 300, path)
  assert.equal(await isReady(), true)

  // What PostgreSQL says when it cannot extend a table.
  await sql`create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`.execute(
    app.db,
  )
  for (const table of ['contacts', 'messages']) {
    await sql`create trigger no_room before insert on ${sql.table(table)} execute function no_room()`.execute(app.db)
  }
  for (const { path, status, headers, body } of await writeAll()) {
    assert.equal(status, 500, path)
    assert.equal(headers['retry-after'], '30', path)
    assert.match(JSON.stringify(body), /The database has no room left at the moment; try again later\./)
  }
  await until(async () => !(await isReady()), '/readyz does not say that the disk is full')
  assert.equal(app.log.filter((line) => line.includes('"stack"')).length, 0, 'a sentence is logged')

  await sql`drop function no_room cascade`.execute(app.db)
  for (const { path, status } of await writeAll()) assert.ok(status < 300, path)
  await until(isReady, '/readyz does not heal')
  client.close()
})

test('a request that gets no connection of a full pool in time is refused as busy, and that is no error in the log', async () => {
  await using database = await makeDatabase()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  const pool = openPool(database.address, log, { connections: 1 })
  const app = createApp(log, (handler) => createServer(handler))
  app.get('/query', async () => (await pool.query('select 1 as one')).rows[0])
  assert.equal((await app.inject('/query')).statusCode, 200)
  const taken = await pool.connect()
  pool.options.connectionTimeoutMillis = 1
  const refused = await app.inject('/query')
  taken.release()
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '1'])
  assert.deepEqual(refused.json().error, {
    code: 'RATE_LIMITED',
    message: 'The server is busy; try again in a second.',
  })
  assert.deepEqual(lines, [])
  await Promise.all([app.close(), pool.end()])
})
