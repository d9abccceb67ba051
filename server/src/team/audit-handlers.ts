import type { Handlers } from '../app-api/handlers.ts'
import { sendCsv } from '../app-api/send-csv.ts'
import { auditCsv, listAudit } from '../audit/list.ts'
import type { Db } from '../platform/database/db.ts'

export function auditHandlers(db: Db): Pick<Handlers, `GET /api/audit${'' | '/csv'}`> {
  return {
    'GET /api/audit': ({ session, query }) => listAudit(db, session.accountId, query),
    'GET /api/audit/csv': async ({ session, query, http, reply }) =>
      sendCsv({ http, reply, fileName: 'audit.csv' }, auditCsv(db, session.accountId, query)),
  }
}
