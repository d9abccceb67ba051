import { makeDefaultCampaign } from '../src/answers/campaigns/settings.ts'
import { type CreatedAccount, createAccount, type NewAccount } from '../src/business/accounts/create.ts'
import type { Tx } from '../src/platform/database/db.ts'

/** Creates an account with its default campaign, so that the bot answers the first message. */
export async function openAccount(tx: Tx, kind: 'standard' | 'agency', given: NewAccount): Promise<CreatedAccount> {
  const account = await createAccount(tx, kind, given)
  await makeDefaultCampaign(tx, account.accountId)
  return account
}
