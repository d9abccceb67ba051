import { type CreatedAccount, createSubaccount, type NewAccount } from '../accounts/create.ts'
import type { Account } from '../accounts/store.ts'
import { renameAccount } from '../app-api/user-store.ts'
import { noteBoth } from '../audit/note-both.ts'
import type { By } from '../audit/store.ts'
import { makeDefaultCampaign } from '../campaigns/default-campaign.ts'
import type { Tx } from '../platform/database/db.ts'

/** Creates a sub-account with its default campaign, so that the bot answers the first message. */
export async function openSubaccount(
  tx: Tx,
  agency: Pick<Account, 'id'>,
  { name, by, ...given }: NewAccount & { name?: string; by: By },
): Promise<CreatedAccount> {
  const made = await createSubaccount(tx, agency.id, given)
  await makeDefaultCampaign(tx, made.accountId)
  if (name !== undefined) await renameAccount(tx, made.accountId, name)
  await noteBoth(tx, { agencyId: agency.id, accountId: made.accountId }, { act: 'sub-account made', ...by })
  return made
}
