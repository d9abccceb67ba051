import type { Db } from '../platform/database/db.ts'
import { findAccount, setBotActive } from './store.ts'

/** Whether the bot may answer an account's messages; processes that remember the account follow within a second. */
export async function switchBot(db: Db, account: string, botActive: boolean): Promise<{ botActive: boolean }> {
  const { id } = await findAccount(db, account)
  await setBotActive(db, id, botActive)
  return { botActive }
}
