import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import { showFirstRun } from './show.ts'
import { setHidden } from './store.ts'
import { teach } from './teach.ts'

type Routes = Extract<keyof Handlers, `${string} /api/first-run${string}`>

export function firstRunHandlers({ db }: { db: Db }): Pick<Handlers, Routes> {
  return {
    'GET /api/first-run': ({ session }) => showFirstRun(db, session),
    'POST /api/first-run/entry': async ({ session, body }) => {
      await teach(db, session.accountId, body)
      return showFirstRun(db, session)
    },
    'PUT /api/first-run/hidden': async ({ session, body }) => {
      await setHidden(db, session, body.hidden)
      return showFirstRun(db, session)
    },
  }
}
