import type { Handlers } from '../app-api/handlers.ts'
import type { Db } from '../platform/database/db.ts'
import { listCalls } from './store.ts'

export function callHandlers(db: Db): Pick<Handlers, 'GET /api/calls'> {
  return { 'GET /api/calls': async ({ session }) => ({ calls: await listCalls(db, session.accountId) }) }
}
