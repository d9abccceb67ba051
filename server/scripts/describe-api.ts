import { createServer } from 'node:https'
import swagger from '@fastify/swagger'
import { pino } from 'pino'
import { addApiRoutes } from '../src/api-handlers.ts'
import type { Db } from '../src/platform/database/db.ts'
import { createApp } from '../src/platform/http/create-app.ts'
import type { App } from '../src/platform/http-app.ts'
import { finishOpenApi } from './finish-openapi.ts'
import { openApiDocument } from './openapi-document.ts'

/** The description of the API that the server serves, from its routes; the database is not queried. */
export async function describeApi(db: Db): Promise<string> {
  const app = createApp(pino({ enabled: false }), (handler) => createServer(handler))
  const flat = new Set<string>()
  app.addHook('onRoute', ({ schema, config }) => {
    if (config?.errorShape === 'flat') flat.add(String(schema?.operationId))
  })
  await app.register(swagger, openApiDocument)
  addUnservedRoutes(app, db)
  await app.ready()
  const document = finishOpenApi(app.swagger(), flat)
  await app.close()
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Every route as it is declared, without what serves it. */
export function addUnservedRoutes(app: App, db: Db): void {
  addApiRoutes(app, {
    db,
    secretKey: Buffer.alloc(32),
    share: notServed,
    guards: { requireApiKey: (_request, _reply, done) => done(), requireHeaderKey: (_request, _reply, done) => done() },
    receive: notServed,
    send: { now: notServed, wake: () => {} },
    grant: notServed,
    hint: () => {},
    publicUrl: '',
  })
}

function notServed(): Promise<never> {
  return Promise.reject(new Error('not served'))
}
