import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { CampaignFile } from '@patchbay/contract/campaigns.ts'
import { type ErrorCode, meaningOf, statusOf } from '@patchbay/contract/errors.ts'
import { pino } from 'pino'
import { describeApi } from '../scripts/describe-api.ts'
import { describeAppApi } from '../scripts/describe-app-api.ts'
import { describeCampaigns } from '../scripts/describe-campaigns.ts'
import { describeErrors } from '../scripts/describe-errors.ts'
import { describeRooms } from '../scripts/describe-rooms.ts'
import { describeSchema } from '../scripts/describe-schema.ts'
import { describeStatements, storesWithStatements } from '../scripts/describe-statements.ts'
import { anyServer } from '../scripts/finish-openapi.ts'
import { trimLock } from '../scripts/trim-lock.ts'
import { openDb } from '../src/platform/database/db.ts'
import { migrate, migrationsBehind, underMigrationLock } from '../src/platform/database-setup/migrate.ts'
import { makeDatabase } from './helpers/databases.ts'
import { sharedApp, startApp } from './helpers/harness.ts'
import { signIn } from './helpers/sessions.ts'

const root = resolve(import.meta.dirname, '../..')
const committed = (file: string) => readFile(join(root, file), 'utf8')

/** An empty database with all migrations applied. */
async function migratedFromEmpty() {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await makeDatabase({ empty: true }))
  const db = openDb(database.address, pino({ enabled: false }), 2)
  opened.defer(() => db.destroy())
  assert.ok((await migrationsBehind(db)) > 0)
  await underMigrationLock(db, migrate)
  const running = opened.move()
  return { db, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

test('schema.sql and tables.ts match the migrations applied to an empty database', async () => {
  await using world = await migratedFromEmpty()
  const { schemaSql, tablesTs } = await describeSchema(world.db)
  assert.equal(await committed('server/schema.sql'), schemaSql, 'run: npm run generate')
  assert.equal(await committed('server/src/platform/database/tables.ts'), tablesTs, 'run: npm run generate')
})

test('server/sql has every prepared statement as its store runs it, and nothing else', async () => {
  const files = describeStatements()
  assert.ok(files.size > 20)
  assert.deepEqual((await readdir(join(root, 'server/sql'))).sort(), [...files.keys()].sort(), 'run: npm run generate')
  for (const [file, text] of files) assert.equal(await committed(`server/sql/${file}`), text, 'run: npm run generate')
  for (const [store, statements] of Object.entries(storesWithStatements)) {
    assert.equal((await import(join(root, store))).statements, statements, `${store} is not where these come from`)
  }
})

test('ARCHITECTURE.md has the order of imports that is held', async () => {
  const text = await committed('ARCHITECTURE.md')
  assert.ok(text.includes('contacts · lists · imports'))
  assert.equal(text, describeRooms(text), 'run: npm run generate')
})

test('migrating again changes nothing', async () => {
  await using world = await migratedFromEmpty()
  const before = await world.db.selectFrom('schemaMigrations').selectAll().execute()
  assert.equal(await migrationsBehind(world.db), 0)
  await underMigrationLock(world.db, migrate)
  assert.deepEqual(await world.db.selectFrom('schemaMigrations').selectAll().execute(), before)
})

test('openapi.json matches the routes, and the server serves it without a key', async () => {
  await using app = await startApp()
  const text = await committed('docs/openapi.json')
  assert.equal(text, await describeApi(app.db), 'run: npm run generate')
  const { status, body } = await app.call('GET', '/openapi.json')
  assert.equal(status, 200)
  // The file has no server URL; a running server adds its own.
  assert.deepEqual({ ...body, servers: anyServer }, JSON.parse(text))
  assert.match(body.servers[0].url, /^https:\/\/.+\/v1$/)
})

test('openapi.json is OpenAPI 3.1 and lists exactly the paths of the API, each with every possible response', async () => {
  const document = JSON.parse(await committed('docs/openapi.json'))
  assert.match(document.openapi, /^3\.1\./)
  assert.match(document.servers[0].url, /^https:\/\/.+\/v1$/)
  const operations = Object.entries<Record<string, { responses: object }>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => [`${method} ${path}`, Object.keys(responses).sort()]),
  )
  const refusals = ['400', '401', '404', '405', '413', '429', '500']
  assert.deepEqual(operations.sort(), [
    ['get /broadcasts/{broadcastId}', ['200', ...refusals]],
    ['get /contacts', ['200', ...refusals]],
    ['get /contacts/{contactId}', ['200', ...refusals]],
    ['post /broadcasts', ['201', ...refusals]],
    ['post /contacts', ['200', '201', ...refusals]],
    ['post /incoming_custom_channel_message', ['200', ...refusals]],
    ['post /lists/{listId}/contacts', ['200', ...refusals]],
    ['post /send_custom_channel_message', ['200', ...refusals]],
    ['post /subaccounts/credits', ['200', ...refusals]],
  ])
})

test("app-openapi.json describes every route of the app's own API, and the server serves it to whoever is signed in", async () => {
  await using app = await startApp()
  const text = await committed('docs/app-openapi.json')
  assert.equal(text, describeAppApi(), 'run: npm run generate')
  const user = await signIn(app, await app.makeAccount())
  const { status, body } = await user.call('GET', '/api/openapi.json')
  assert.equal(status, 200)
  assert.deepEqual(body, JSON.parse(text))
  const described = Object.entries<Record<string, { operationId: string }>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [`${method} ${path}`, operationId]),
  )
  const served = app.routes.filter((route) => / \/api\//.test(route) && !route.startsWith('HEAD '))
  assert.deepEqual(
    described.map(([route]) => route).sort(),
    served.map((route) => route.replace(/^[A-Z]+/, (method) => method.toLowerCase()).replace(/:(\w+)/g, '{$1}')).sort(),
  )
  assert.equal(new Set(described.map(([, operationId]) => operationId)).size, described.length)
})

test('errors.md is generated from the table of codes, and lists each with its status and meaning', async () => {
  const text = await committed('docs/errors.md')
  assert.equal(text, describeErrors(), 'run: npm run generate')
  const rows = [...text.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (.+) \|$/gm)].map(([, code, status, meaning]) => [
    code,
    Number(status),
    meaning,
  ])
  const codes = Object.keys(statusOf) as ErrorCode[] // the keys of the table are the codes
  assert.deepEqual(
    rows,
    codes.map((code) => [code, statusOf[code], meaningOf[code]]),
  )
})

test('errors.md shows for each endpoint the actual shape of its errors', async () => {
  await using app = await sharedApp()
  const text = await committed('docs/errors.md')
  const [general = '', flat = ''] = [...text.matchAll(/```json\n(.*?)\n```/gs)].map(([, shape]) => shape)
  const shapeOf = (value: unknown) => typeof Object(value).error
  assert.deepEqual([shapeOf(JSON.parse(general)), shapeOf(JSON.parse(flat))], ['object', 'string'])
  const document = JSON.parse(await committed('docs/openapi.json'))
  for (const [path, methods] of Object.entries<object>(document.paths)) {
    const isFlat = text.includes(`\`${path}\``)
    for (const method of Object.keys(methods)) {
      const { status, body } = await app.call(method.toUpperCase(), path.replace(/\{.*?\}/, 'x'))
      assert.deepEqual([status, shapeOf(body)], [401, isFlat ? 'string' : 'object'], path)
    }
  }
})

test('campaigns.md lists every field of a campaign with its default', async () => {
  const text = await committed('docs/campaigns.md')
  assert.equal(text, describeCampaigns(), 'run: npm run generate')
  for (const field of Object.keys(CampaignFile.properties)) assert.ok(text.includes(`| \`${field}\` |`))
})

test('the lock file has no engines of packages, and keeps the required npm version', async () => {
  const text = await committed('package-lock.json')
  assert.ok(text === trimLock(text), 'run: npm run generate')
  const { packages } = JSON.parse(text)
  const asking = Object.entries<{ engines?: object }>(packages).filter(([, { engines }]) => engines !== undefined)
  assert.deepEqual(
    asking.map(([path, { engines }]) => [path, engines]),
    [['', { npm: '>=10' }]],
  )
})
