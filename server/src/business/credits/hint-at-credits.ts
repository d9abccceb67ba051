import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { Hint } from '../../platform/notify/hints.ts'

/** After credits of a sub-account were used: its screens and those of its agency show something else now. */
export async function hintAtCredits({ db, hint }: { db: Db; hint: Hint }, accountId: AccountId): Promise<void> {
  const account = await db.selectFrom('accounts').select('agencyId').where('id', '=', accountId).executeTakeFirst()
  for (const shown of [accountId, account?.agencyId]) if (shown) hint(shown, 'credits')
}
