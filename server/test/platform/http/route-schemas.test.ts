import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { test } from 'node:test'
import type { FastifySchema } from 'fastify'
import { pino } from 'pino'
import { addUnservedRoutes } from '../../../scripts/describe-api.ts'
import { openDb } from '../../../src/platform/database/db.ts'
import { compileSerializer, compileValidator } from '../../../src/platform/http/compile-schemas.ts'
import { createApp } from '../../../src/platform/http/create-app.ts'

const log = pino({ enabled: false })

type Route = { name: string; schema: FastifySchema }

/** The routes of the API. The database is not queried. */
async function declaredRoutes(): Promise<Route[]> {
  await using db = openDb({}, log)
  const app = createApp(log, (handler) => createServer(handler))
  const routes: Route[] = []
  app.addHook('onRoute', ({ method, url, schema = {} }) => void routes.push({ name: `${method} ${url}`, schema }))
  await addUnservedRoutes(app, db)
  await app.close()
  return routes
}

test('every schema of every route compiles, so that no request is the first to find an error in one', async () => {
  let compiled = 0
  for (const { name, schema } of await declaredRoutes()) {
    const { body, querystring, params, headers, response } = schema
    const requested = [body, querystring, params, headers].filter((part) => part !== undefined) as object[]
    const answered = Object.values(Object(response)) as object[]
    for (const part of requested) assert.doesNotThrow(() => compileValidator(part), name)
    for (const part of answered) assert.doesNotThrow(() => compileSerializer(part), name)
    compiled += requested.length + answered.length
  }
  assert.ok(compiled > 10, `${compiled} were compiled`)
})
