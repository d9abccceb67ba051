import type { Handlers } from '../../../business/sessions/handlers.ts'
import type { KeepDays } from '../../../platform/config/keep-days.ts'
import type { Db } from '../../../platform/database/db.ts'
import { countOver } from './rule-store.ts'
import { setRule, showRules } from './rules.ts'

type Routes = 'GET /api/account/retention' | 'PUT /api/account/retention' | 'GET /api/account/retention/preview'

export function retentionHandlers(ctx: { db: Db; keepDays: KeepDays }): Pick<Handlers, Routes> {
  const { db, keepDays } = ctx
  return {
    'GET /api/account/retention': ({ session }) => showRules(db, session.accountId, keepDays),
    'PUT /api/account/retention': async ({ session, body, by }) => {
      await setRule(ctx, session.accountId, body, by)
      return showRules(db, session.accountId, keepDays)
    },
    'GET /api/account/retention/preview': ({ session, query }) =>
      countOver(db, session.accountId, Number(query.keepDays)),
  }
}
