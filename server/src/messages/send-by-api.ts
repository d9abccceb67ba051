import type { OutgoingAccepted, OutgoingMessage } from '@patchbay/contract/messages.ts'
import { given } from '@patchbay/contract/text.ts'
import { findOrCreateByExternalId } from '../contacts/store.ts'
import type { Db } from '../platform/db.ts'
import { parseEmail } from '../platform/email.ts'
import { type OnceKey, onceForKey } from '../platform/idempotency.ts'
import type { AccountId } from '../platform/ids.ts'
import { checkBody } from './body.ts'
import { send } from './send.ts'

/**
 * Sends a message that the account holder's own system wrote, to start a conversation or to go on with one. It is no
 * takeover: the bot stays as it is.
 */
export async function sendByApi(
  db: Db,
  { accountId, once }: { accountId: AccountId; once: OnceKey | undefined },
  { customData }: OutgoingMessage,
): Promise<OutgoingAccepted> {
  const { fromId, customChannel, body } = customData
  checkBody(body)
  const { answer } = await onceForKey(db, { accountId, once }, async (tx) => {
    const contactId = await findOrCreateByExternalId(tx, accountId, {
      externalId: fromId,
      firstName: given(customData.firstName) ?? null,
      lastName: given(customData.lastName) ?? null,
      email: parseEmail(customData.email ?? '') ?? null,
    })
    const campaignId = given(customData.campaignId)
    const outgoing = {
      accountId,
      contactId,
      toId: fromId,
      author: 'api' as const,
      body,
      channel: customChannel,
      campaignId,
    }
    const messageId = await send(tx, outgoing)
    const message = 'The message is kept and will be delivered.'
    return { status: 200, answer: { success: true as const, messageId, contactId, message } }
  })
  return answer
}
