import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'

/** Whether the bot answers for the account. */
export async function hasBot(db: Db, accountId: AccountId): Promise<boolean> {
  const account = await db.selectFrom('accounts').select('botActive').where('id', '=', accountId).executeTakeFirst()
  return account?.botActive === true
}
