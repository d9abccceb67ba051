import type { ReplyEvent } from '@patchbay/contract/api/messages.ts'
import { alertBody } from '../../../../outbox/alert-body.ts'
import { alertWebhook, type Receiver, rechargeWebhook } from '../../../../outbox/receivers.ts'
import type { DeliveryError } from '../../../messages/store.ts'
import type { Outcome } from '../transport.ts'
import { type PostCtx, post } from './post.ts'
import { newSecret, signingKey } from './signing-keys.ts'
import { requireWebhook, type WebhookCtx } from './webhooks.ts'

export type TestOutcome = {
  url: string
  status: Outcome['status']
  error: DeliveryError | null
  durationMs: number
  /** Whether it refused the same event with a wrong signature; null when that request got no answer. */
  checksSignature: boolean | null
}

/** Posts a test event, then the same with a wrong signature; stores nothing. */
export async function testWebhook(ctx: WebhookCtx & PostCtx, receiver: Receiver, userId: string): Promise<TestOutcome> {
  const { url, secrets } = await requireWebhook(ctx, receiver)
  const { id, payload } = testEvent(receiver, { url, userId })
  const posted = { id, payload, url, attempt: 1, author: null, outgoingSeq: null }
  const startedAt = performance.now()
  const signed = await post(ctx, { ...posted, keys: secrets.map(signingKey) })
  const durationMs = Math.round(performance.now() - startedAt)
  if (signed.status === 'Failed') {
    return { url, status: 'Failed', error: signed.error, durationMs, checksSignature: null }
  }
  const wronglySigned = await post(ctx, { ...posted, keys: [signingKey(newSecret())] })
  const wasAnswered = wronglySigned.status === 'Sent' || wronglySigned.error.httpStatus !== null
  const checksSignature = wasAnswered ? wronglySigned.status === 'Failed' : null
  return { url, status: 'Sent', error: null, durationMs, checksSignature }
}

function testEvent(
  { accountId, receiverId }: Receiver,
  { url, userId }: { url: string; userId: string },
): { id: string; payload: string } {
  if (receiverId === alertWebhook) {
    const text = 'This is a test of the alerts. Nothing is the matter.'
    const alert = { event: 'test' as const, accountId, text, link: undefined, details: {} }
    return { id: 'evt_test', payload: alertBody(alert, { id: 'evt_test', url }) }
  }
  if (receiverId === rechargeWebhook) {
    const facts = { sub_account_id: 'acc_test', email: 'test@example.com', balance: 0, threshold: 0, amount: 0 }
    const event = { event: 'subaccount.auto_recharge', idempotency_key: 'evt_test', ...facts }
    return { id: 'evt_test', payload: JSON.stringify({ ...event, created_at: new Date().toISOString() }) }
  }
  const texts = { body: 'This is a test. Nothing was stored.', toId: 'test', channel: 'test' }
  const event: ReplyEvent = { contactId: 'con_test', messageId: 'msg_test', userId, ...texts }
  return { id: event.messageId, payload: JSON.stringify(event) }
}
