import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import { readState } from './current-store.ts'
import { saveSettings, showSettings } from './save-settings.ts'

type Routes = 'GET /api/alerts/state' | 'GET /api/alerts/settings' | 'PUT /api/alerts/settings'

export function alertHandlers(db: Db): Pick<Handlers, Routes> {
  return {
    'GET /api/alerts/state': ({ session }) => readState(db, session),
    'GET /api/alerts/settings': ({ session }) => showSettings(db, session.accountId),
    'PUT /api/alerts/settings': async ({ session, body, by }) => {
      await saveSettings(db, session.accountId, body, by)
      return showSettings(db, session.accountId)
    },
  }
}
