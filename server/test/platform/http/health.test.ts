import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { pino } from 'pino'
import { openDb } from '../../../src/platform/database/db.ts'
import { createApp } from '../../../src/platform/http/create-app.ts'
import { healthRoutes } from '../../../src/platform/http/health.ts'
import { makeDatabase } from '../../helpers/databases.ts'
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
