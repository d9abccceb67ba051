import type { AlertSettings } from '@patchbay/contract/app/alerts.ts'
import type { PartOf } from '@patchbay/contract/app/routes.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import { creditsOf, readAmount } from '../../business/credits/amount.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { readState } from './fact-store.ts'
import { readSettings, skipWaiting, writeSettings } from './state-store.ts'

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

async function showSettings(db: Db, accountId: AccountId): Promise<AlertSettings> {
  const { creditsBelow, ...rest } = await readSettings(db, accountId)
  return { ...rest, creditsBelow: creditsBelow === null ? null : creditsOf(BigInt(creditsBelow)) }
}

type SettingsInput = PartOf<'PUT /api/alerts/settings', 'body'>

async function saveSettings(db: Db, accountId: AccountId, given: SettingsInput, by: By): Promise<void> {
  const { conditions, namesContacts, creditsBelow } = given
  const below = creditsBelow.trim() === '' ? null : String(readAmount(creditsBelow.trim()))
  await db.transaction().execute(async (tx) => {
    const before = await readSettings(tx, accountId)
    if (conditions.includes('waiting') && !before.conditions.includes('waiting')) await skipWaiting(tx, accountId)
    await writeSettings(tx, accountId, { conditions, namesContacts, creditsBelow: below })
    const details = { conditions: conditions.join(', '), names: namesContacts ? 'yes' : 'no' }
    await noteAct(tx, accountId, { act: 'alerts changed', ...by, details })
  })
}
