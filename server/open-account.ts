import { type CreatedAccount, createAccount, createSubaccount, type NewAccount } from './src/accounts/create.ts'
import { makeDefaultCampaign } from './src/campaigns/default-campaign.ts'
import type { Tx } from './src/platform/database/db.ts'

/** Creates an account with its default campaign, so that the bot answers the first message. */
export async function openAccount(tx: Tx, kind: 'standard' | 'agency', given: NewAccount): Promise<CreatedAccount> {
  const account = await createAccount(tx, kind, given)
  await makeDefaultCampaign(tx, account.accountId)
  return account
}

/** The same for a sub-account of an agency. */
export async function openSubaccount(tx: Tx, agency: string, given: NewAccount): Promise<CreatedAccount> {
  const account = await createSubaccount(tx, agency, given)
  await makeDefaultCampaign(tx, account.accountId)
  return account
}
