import type { Db } from '../../../platform/database/db.ts'
import { retryConflicts } from '../../../platform/database/retry.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { waitForAccount } from './account-store.ts'
import { forgetUnusedChannels } from './channel-store.ts'

/**
 * Runs after a contact was deleted: their marks are gone with them, and sums know no contact; only a label may be left.
 * Whoever counts at this moment has read the contact's messages before or not at all, and is waited for.
 */
export async function forgetChannels(db: Db, accountId: AccountId): Promise<void> {
  await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      await waitForAccount(tx, accountId)
      await forgetUnusedChannels(tx, accountId)
      return true
    }),
  )
}
