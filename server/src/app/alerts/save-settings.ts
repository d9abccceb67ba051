import type { AlertSettings } from '@patchbay/contract/app/alerts.ts'
import type { PartOf } from '@patchbay/contract/app/routes.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import { creditsOf, readAmount } from '../../business/credits/amount.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { readSettings, skipWaiting, writeSettings } from './settings-store.ts'

export async function showSettings(db: Db, accountId: AccountId): Promise<AlertSettings> {
  const { creditsBelow, ...rest } = await readSettings(db, accountId)
  return { ...rest, creditsBelow: creditsBelow === null ? null : creditsOf(BigInt(creditsBelow)) }
}

type SettingsInput = PartOf<'PUT /api/alerts/settings', 'body'>

export async function saveSettings(db: Db, accountId: AccountId, given: SettingsInput, by: By): Promise<void> {
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
