import { createServer } from 'node:https'
import { pino } from 'pino'
import { addRoutes } from '../src/api.ts'
import type { Db } from '../src/platform/database/db.ts'
import { createApp } from '../src/platform/http/create-app.ts'

/** The API description that the server serves, as a file; the database is not queried. */
export async function describeApi(db: Db): Promise<string> {
  const app = createApp(pino({ enabled: false }), (handler) => createServer(handler))
  await addRoutes(app, {
    db,
    secretKey: Buffer.alloc(32),
    share: notServed,
    requireApiKey: (_request, _reply, done) => done(),
    requireHeaderKey: (_request, _reply, done) => done(),
    receive: notServed,
    send: { now: notServed, wake: () => {} },
    grant: notServed,
  })
  const { body } = await app.inject('/v1/openapi.json')
  await app.close()
  return `${JSON.stringify(JSON.parse(body), null, 2)}\n`
}

function notServed(): Promise<never> {
  return Promise.reject(new Error('not served'))
}
