import { recognizeOptOut } from '../../../people/contacts/opt-out.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import { findPendingOptOut } from '../../conversations/consent.ts'
import type { Recipient } from './recipient-store.ts'

/**
 * Whether a locked contact takes no broadcasts: also by what is kept of an erased one who is back, and by what they wrote and the bot
 * has not read yet. `externalId`: the id that they have or get.
 */
export async function hasOptedOut(
  tx: Tx,
  secretKey: Buffer,
  { accountId, recipient, externalId }: { accountId: AccountId; recipient: Recipient; externalId: string | null },
): Promise<boolean> {
  if (recipient.optedOutAt !== null) return true
  const ref = { accountId, contactId: recipient.id }
  return (
    (await recognizeOptOut(tx, secretKey, { ...ref, externalId })) || (await findPendingOptOut(tx, ref)) !== undefined
  )
}
