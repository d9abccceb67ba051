import { Readable } from 'node:stream'
import type { Handlers } from '../app-api/handlers.ts'
import { auditCsv, listAudit } from '../audit/list.ts'
import type { Db } from '../platform/database/db.ts'

export function auditHandlers(db: Db): Pick<Handlers, `GET /api/audit${'' | '/csv'}`> {
  return {
    'GET /api/audit': ({ session, query }) => listAudit(db, session.accountId, query),
    'GET /api/audit/csv': async ({ session, query, http, reply }) => {
      reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="audit.csv"')
      return http.method === 'HEAD' ? reply.send() : reply.send(Readable.from(auditCsv(db, session.accountId, query)))
    },
  }
}
