import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { notifyWorkers } from '../../platform/notify/notify.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type By, noteAct } from '../audit/store.ts'
import { isKnownZone, setTimeZone } from './store.ts'

/** Lets the days of an account begin in another zone. Its reports follow a moment later, for all days that they show. */
export async function changeTimeZone(db: Db, accountId: AccountId, timeZone: string, by: By): Promise<void> {
  if (!isZone(timeZone) || !(await isKnownZone(db, timeZone))) {
    throw new Refusal('INVALID_REQUEST', `There is no time zone "${timeZone}"; one is Europe/Berlin.`)
  }
  await db.transaction().execute(async (tx) => {
    const before = await setTimeZone(tx, accountId, timeZone)
    if (before !== timeZone) await noteAct(tx, accountId, { act: 'time zone changed', ...by, details: { timeZone } })
  })
  await notifyWorkers(db, 'reports')
}

/** The browser must know it too: it shows times in it. */
function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}
