import type { OutgoingAccepted, OutgoingMessage } from '@patchbay/contract/api/messages.ts'
import { givenName, given as present } from '@patchbay/contract/text.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { FairShare } from '../../platform/database/fair-share.ts'
import { retryConflicts } from '../../platform/database/retry.ts'
import { type IdempotencyKey, withIdempotencyKey } from '../../platform/idempotency/idempotency.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { parseEmail } from '../../platform/text/email.ts'
import { checkBody, checkLabel } from './body.ts'
import { type Outgoing, type Send, type SentMessage, sendWithin } from './send.ts'

type Request = { accountId: AccountId; idempotencyKey: IdempotencyKey | undefined; trace?: string | undefined }

/**
 * Sends a message from the account holder's own system, to start or continue a conversation. It is no takeover: whether
 * the bot answers does not change.
 */
export async function sendByApi(
  { db, send, share, hint }: { db: Db; send: Send; share: FairShare; hint: Hint },
  { accountId, idempotencyKey, trace }: Request,
  { customData }: OutgoingMessage,
): Promise<OutgoingAccepted> {
  checkBody(customData.body)
  checkLabel(customData.customChannel, 'customData.customChannel')
  const outgoing = { ...readOutgoing(accountId, customData), trace }
  if (!idempotencyKey) return accepted(await send.now(outgoing))
  const act = async (tx: Tx) => ({ status: 200, answer: accepted(await sendWithin(tx, outgoing)) })
  const { answer } = await share(accountId, () =>
    retryConflicts(() => withIdempotencyKey(db, { accountId, idempotencyKey }, act)),
  )
  send.wake()
  hint(accountId, answer.contactId as ContactId) // as `sendWithin` returned it, now or at the first request
  return answer
}

function readOutgoing(accountId: AccountId, given: OutgoingMessage['customData']): Outgoing {
  return {
    accountId,
    toId: given.fromId,
    author: 'api',
    body: given.body,
    channel: given.customChannel,
    campaignId: present(given.campaignId),
    firstName: givenName(given.firstName),
    lastName: givenName(given.lastName),
    // A malformed address is left out: losing a customer's message over it would be worse.
    email: parseEmail(given.email ?? ''),
  }
}

function accepted({ messageId, contactId }: SentMessage): OutgoingAccepted {
  return { success: true, messageId, contactId, message: 'The message is kept and will be delivered.' }
}
