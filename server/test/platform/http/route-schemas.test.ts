import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { test } from 'node:test'
import type { AppRoute } from '@patchbay/contract/app/route.ts'
import { appRoutes } from '@patchbay/contract/app/routes.ts'
import { pino } from 'pino'
import { addUnservedRoutes } from '../../../scripts/describe-api.ts'
import { openDb } from '../../../src/platform/database/db.ts'
import { compileSerializer, compileValidator } from '../../../src/platform/http/compile-schemas.ts'
import { createApp } from '../../../src/platform/http/create-app.ts'

const log = pino({ enabled: false })

type Route = { name: string; requested: object[]; answered: object[] }

/** The database is not queried. */
async function routesOfApi(): Promise<Route[]> {
  await using db = openDb({}, log)
  const app = createApp(log, (handler) => createServer(handler))
  const routes: Route[] = []
  app.addHook('onRoute', ({ method, url, schema = {} }) => {
    const { body, querystring, params, headers, response } = schema
    const requested = [body, querystring, params, headers].filter((part) => part !== undefined) as object[]
    routes.push({ name: `${method} ${url}`, requested, answered: Object.values(Object(response)) })
  })
  addUnservedRoutes(app, db)
  await app.close()
  return routes
}

function routesOfApp(): Route[] {
  return Object.entries<AppRoute>(appRoutes).map(([name, { params, query, body, reply }]) => {
    return {
      name,
      requested: [params, query, body].filter((part) => part !== undefined),
      answered: reply ? [reply] : [],
    }
  })
}

test('every schema of every route compiles, so that no request is the first to find an error in one', async () => {
  const routes = [...(await routesOfApi()), ...routesOfApp()]
  assert.ok(routes.length > 40, `${routes.length} routes`)
  for (const { name, requested, answered } of routes) {
    for (const schema of requested) assert.doesNotThrow(() => compileValidator(schema), name)
    for (const schema of answered) assert.doesNotThrow(() => compileSerializer(schema), name)
  }
})
