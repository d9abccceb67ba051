import type { Handlers } from '../../../business/sessions/handlers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { readReport } from './read-report.ts'
import { reportCsv } from './report-csv.ts'

export function reportHandlers(db: Db): Pick<Handlers, `GET /api/reports${'' | '/csv'}`> {
  return {
    'GET /api/reports': ({ session, query }) => readReport(db, session.accountId, query),
    'GET /api/reports/csv': async ({ session, query, http, reply }) => {
      reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="reports.csv"')
      return http.method === 'HEAD' ? reply.send() : reply.send(await reportCsv(db, session.accountId, query))
    },
  }
}
