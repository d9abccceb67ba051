import type { NewLink } from '@patchbay/contract/app/team.ts'
import type { Sendable } from '../app-api/handlers.ts'
import { noteBoth } from '../audit/note-both.ts'
import type { By } from '../audit/store.ts'
import type { AccountId, UserId } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'
import { type LinkCtx, writePasswordLink } from '../team/links.ts'
import { lockMembers } from '../team/member-store.ts'

/**
 * Makes a link with which the holder of a sub-account sets a new password: they have nobody else to ask when they are the
 * only owner. Both sides see in their audit that it was made.
 */
export async function makeHolderLink(
  { db, publicUrl }: LinkCtx,
  accounts: { agencyId: AccountId; accountId: AccountId },
  { madeBy, by }: { madeBy: UserId; by: By },
): Promise<Sendable<NewLink>> {
  const { accountId } = accounts
  return db.transaction().execute(async (tx) => {
    const holder = (await lockMembers(tx, accountId)).find(({ isHolder }) => isHolder)
    if (!holder) throw new Refusal('NOT_FOUND', 'This sub-account has no owner.')
    await noteBoth(tx, accounts, { act: 'password link made', ...by, details: { name: holder.name } })
    return writePasswordLink(tx, publicUrl, { accountId, userId: holder.id, madeBy })
  })
}
