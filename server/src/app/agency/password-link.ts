import type { NewLink } from '@patchbay/contract/app/team.ts'
import { noteBoth } from '../../business/audit/note-both.ts'
import type { By } from '../../business/audit/store.ts'
import type { Sendable } from '../../business/sessions/handlers.ts'
import type { Session } from '../../business/sessions/session-store.ts'
import { noteAgencyLink } from '../../business/team/link-store.ts'
import { type LinkCtx, lockAsMaker, writePasswordLink } from '../../business/team/links.ts'
import { lockMembers } from '../../business/team/member-store.ts'
import type { AccountId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'

/**
 * Makes a link with which the holder of a sub-account sets a new password: they have nobody else to ask when they are the
 * only owner. Both sides see in their audit that it was made and used, and the owners of the sub-account are told.
 */
export async function makeHolderLink(
  { db, publicUrl }: LinkCtx,
  session: Session,
  { accountId, by }: { accountId: AccountId; by: By },
): Promise<Sendable<NewLink>> {
  const accounts = { agencyId: session.accountId, accountId }
  return db.transaction().execute(async (tx) => {
    await lockAsMaker(tx, session) // the agency before its sub-account, so that no two wait for each other
    const holder = (await lockMembers(tx, accountId)).find(({ isHolder }) => isHolder)
    if (!holder) throw new Refusal('NOT_FOUND', 'This sub-account has no owner.')
    await noteBoth(tx, accounts, { act: 'password link made', ...by, details: { name: holder.name } })
    await noteAgencyLink(tx, accountId, 'made')
    return writePasswordLink(tx, publicUrl, { accountId, userId: holder.id, madeBy: session.userId })
  })
}
