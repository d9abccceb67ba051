import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Client } from 'pg'
import { pino } from 'pino'
import { type Db, openDb } from '../../../src/platform/database/db.ts'
import { migrate, migrationsBehind, underMigrationLock } from '../../../src/platform/database-setup/migrate.ts'
import { declaration, readMigrations } from '../../../src/platform/database-setup/read-migrations.ts'
import { tryServerLock } from '../../../src/platform/database-setup/server-lock.ts'
import { OperatorError } from '../../../src/platform/operator-error.ts'
import { makeDatabase, runStatement, type TestDatabase, urlOf } from '../../helpers/databases.ts'
import { makeOldSchema } from '../../helpers/old-schema.ts'
import { makeDataFolder, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

/** The last version whose migration cannot run beside the servers before it. */
const oldVersion = 5

test('every migration declares whether servers of the version before can run beside it', async () => {
  for (const { version, file, text } of await readMigrations()) {
    if (version > 6) assert.match(text, declaration, `${file} must begin with such a line`)
  }
})

test('a migration that waits for a table lock does not block later statements, and completes when the lock is free', async () => {
  await using world = await openOld()
  const holder = await openClient(world.database, 'report of ana')
  await holder.query('begin; select count(*) from deliveries')
  const reasons: string[] = []
  const migrated = underMigrationLock(world.db, migrate, { onWait: (reason) => reasons.push(reason) })
  const reader = await openClient(world.database, 'reader')
  await reader.query("set lock_timeout = '1s'") // shorter than that of requests
  for (let reads = 0; reads < 50 || reasons.length < 2; reads += 1) {
    await reader.query('select count(*) from deliveries')
    await sleep(20)
  }
  assert.match(reasons[0] ?? '', /report of ana, process \d+ of the database/)
  await holder.end()
  await migrated
  assert.equal(await migrationsBehind(world.db), 0)
  await reader.end()
})

test('a migration that never gets its table lock names the session that holds it, and leaves the schema unchanged', async () => {
  await using world = await openOld()
  const holder = await openClient(world.database, 'report of ana')
  await holder.query('begin; select count(*) from deliveries')
  await assert.rejects(
    underMigrationLock(world.db, migrate, { withinMs: 500 }),
    (error) => error instanceof OperatorError && /report of ana, process \d+ .*; end them, or wait/.test(error.message),
  )
  await holder.end()
  const { rows } = await sql`select from information_schema.columns where column_name = 'last_url'`.execute(world.db)
  assert.equal(rows.length, 0)
  assert.ok((await migrationsBehind(world.db)) > 0)
})

test('a migration that older servers cannot run beside waits for them or names them, also those without a version lock', async () => {
  await using world = await openOld()
  const [first, second] = [await openClient(world.database, 'old server'), await openClient(world.database, 'oldest')]
  await first.query(`select pg_advisory_lock_shared(7301003, ${oldVersion}), pg_advisory_lock_shared(7301002)`)
  await second.query('select pg_advisory_lock_shared(7301002)') // as servers did before there was a version lock
  const own = await tryServerLock(world.database.address, 'shared')
  await assert.rejects(
    underMigrationLock(world.db, migrate, { withinMs: 500 }),
    (error) =>
      error instanceof OperatorError &&
      /stop them first: .*\bold server, process \d+ of the database.*, schema 5\b/.test(error.message) &&
      /\boldest, process \d+/.test(error.message) &&
      !/patchbay on/.test(error.message),
  )
  const reasons: string[] = []
  const migrated = underMigrationLock(world.db, migrate, { onWait: (reason) => reasons.push(reason) })
  await until(() => reasons.length > 0, 'it did not wait')
  await first.end()
  await second.end()
  await migrated
  assert.equal(await migrationsBehind(world.db), 0)
  await own?.release()
})

test('a server keeps running on a newer schema that is declared compatible, and stops when it finds an incompatible one', async () => {
  await using folder = await makeDataFolder({ cluster: false })
  await using database = await makeDatabase()
  const shared = {
    DATA_DIR: folder.path,
    DATABASE_URL: urlOf(database.address),
    SECRET_KEY: 'a secret key for the tests',
  }
  await using server = await startProcess(shared)
  await runStatement(database.address, "insert into schema_migrations values (9998, 'additive', now(), true)")
  await breakLock(database)
  await until(async () => (await countLocks(database)) === 1, 'the lock was not taken again')
  assert.equal(await server.get('/readyz'), 200)
  const another = await startProcess(shared)
  assert.equal(await another.get('/readyz'), 200)
  await another[Symbol.asyncDispose]()

  await runStatement(database.address, "insert into schema_migrations values (9999, 'breaking', now(), false)")
  await breakLock(database)
  assert.equal(await server.exited, 1)
  assert.match(
    server.output(),
    /^The database has schema 9999 and this Patchbay knows only \d+; run the newer version\.$/m,
  )
})

async function openOld(): Promise<{ db: Db; database: TestDatabase; [Symbol.asyncDispose]: () => Promise<void> }> {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await makeDatabase({ empty: true }))
  await makeOldSchema(database.address, oldVersion)
  const db = openDb(database.address, pino({ enabled: false }), 2)
  opened.defer(() => db.destroy())
  const running = opened.move()
  return { db, database, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function openClient({ address }: TestDatabase, application_name: string): Promise<Client> {
  const client = new Client({ ...address, application_name })
  await client.connect()
  return client
}

const lockHolders = `from pg_locks where locktype = 'advisory' and classid = 7301003
  and database = (select oid from pg_database where datname = current_database())`

async function breakLock({ address }: TestDatabase): Promise<void> {
  await runStatement(address, `select pg_terminate_backend(pid) ${lockHolders}`)
}

async function countLocks(database: TestDatabase): Promise<number> {
  const client = await openClient(database, 'counting')
  const { rows } = await client.query(`select count(*)::integer as count ${lockHolders}`)
  await client.end()
  return rows[0].count
}
