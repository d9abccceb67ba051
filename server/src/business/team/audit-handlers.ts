import type { Db } from '../../platform/database/db.ts'
import { sendCsv } from '../../platform/http/send-csv.ts'
import { auditCsv, listAudit } from '../audit/list.ts'
import type { Handlers } from '../sessions/handlers.ts'

export function auditHandlers(db: Db): Pick<Handlers, `GET /api/audit${'' | '/csv'}`> {
  return {
    'GET /api/audit': ({ session, query }) => listAudit(db, session.accountId, query),
    'GET /api/audit/csv': async ({ session, query, http, reply }) =>
      sendCsv({ http, reply, fileName: 'audit.csv' }, auditCsv(db, session.accountId, query)),
  }
}
