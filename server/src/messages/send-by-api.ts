import type { OutgoingAccepted, OutgoingMessage } from '@patchbay/contract/messages.ts'
import { given as present } from '@patchbay/contract/text.ts'
import { findOrCreateByExternalId } from '../contacts/store.ts'
import type { Db, Tx } from '../platform/db.ts'
import { parseEmail } from '../platform/email.ts'
import { type OnceKey, onceForKey } from '../platform/idempotency.ts'
import type { AccountId } from '../platform/ids.ts'
import { insist } from '../platform/insist.ts'
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
  checkBody(customData.body)
  const act = async (tx: Tx) => ({ status: 200, answer: await keep(tx, accountId, customData) })
  const { answer } = await insist(() =>
    once ? onceForKey(db, { accountId, once }, act) : db.transaction().execute(act),
  )
  return answer
}

async function keep(tx: Tx, accountId: AccountId, given: OutgoingMessage['customData']): Promise<OutgoingAccepted> {
  const { fromId: toId, customChannel: channel, body } = given
  const contactId = await findOrCreateByExternalId(tx, accountId, {
    externalId: toId,
    firstName: present(given.firstName) ?? null,
    lastName: present(given.lastName) ?? null,
    email: parseEmail(given.email ?? '') ?? null,
  })
  const campaignId = present(given.campaignId)
  const messageId = await send(tx, { accountId, contactId, toId, author: 'api', body, channel, campaignId })
  return { success: true, messageId, contactId, message: 'The message is kept and will be delivered.' }
}
