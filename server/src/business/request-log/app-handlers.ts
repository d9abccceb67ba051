import type { Db } from '../../platform/database/db.ts'
import type { Handlers } from '../sessions/handlers.ts'
import { listCalls } from './store.ts'

export function callHandlers(db: Db): Pick<Handlers, 'GET /api/calls'> {
  return { 'GET /api/calls': async ({ session }) => ({ calls: await listCalls(db, session.accountId) }) }
}
