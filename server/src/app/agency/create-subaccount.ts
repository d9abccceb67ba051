import { makeDefaultCampaign } from '../../answers/campaigns/settings.ts'
import { type CreatedAccount, createSubaccount, EmailTaken, type NewAccount } from '../../business/accounts/create.ts'
import { type Account, setRateLimit } from '../../business/accounts/store.ts'
import { noteTaken, refuseAfterTaken } from '../../business/accounts/taken-store.ts'
import { noteBoth } from '../../business/audit/note-both.ts'
import type { By } from '../../business/audit/store.ts'
import { renameAccount } from '../../business/sessions/user-store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

type NewSubaccount = NewAccount & { name?: string; by: By }

/**
 * Creates a sub-account as an agency asked for it in the app, which may try only so many addresses that have an
 * account. `rate`: the rate limit that it begins with; null: the usual one.
 */
export async function openForAgency(
  db: Db,
  agencyId: AccountId,
  { rate, ...wanted }: NewSubaccount & { rate: number | null },
): Promise<CreatedAccount> {
  await refuseAfterTaken(db, agencyId)
  const open = db.transaction().execute(async (tx) => {
    const opened = await openSubaccount(tx, { id: agencyId }, wanted)
    if (rate !== null) await setRateLimit(tx, opened.accountId, rate)
    return opened
  })
  return open.catch(async (error) => {
    if (error instanceof EmailTaken) await noteTaken(db, agencyId)
    throw error
  })
}

/** Creates a sub-account with its default campaign, so that the bot answers the first message. */
export async function openSubaccount(
  tx: Tx,
  agency: Pick<Account, 'id'>,
  { name, by, ...given }: NewSubaccount,
): Promise<CreatedAccount> {
  const made = await createSubaccount(tx, agency.id, given)
  await makeDefaultCampaign(tx, made.accountId)
  if (name !== undefined) await renameAccount(tx, made.accountId, name)
  await noteBoth(tx, { agencyId: agency.id, accountId: made.accountId }, { act: 'sub-account made', ...by })
  return made
}
