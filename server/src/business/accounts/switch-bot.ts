import type { Db } from '../../platform/database/db.ts'
import { findAccount, setBotActive } from './store.ts'

/** Switches the bot of an account on or off; processes that have the account cached follow within a second. */
export async function switchBot(db: Db, account: string, botActive: boolean): Promise<{ botActive: boolean }> {
  const { id } = await findAccount(db, account)
  await setBotActive(db, id, botActive)
  return { botActive }
}
