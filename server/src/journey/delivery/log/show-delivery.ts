import type { DeliveryDetail } from '@patchbay/contract/app/webhook.ts'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import type { Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type EventId, isId, type MessageId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { listAttempts } from '../../messages/attempt-log.ts'
import { headersOf } from '../transports/webhook/post.ts'
import { signingKey } from '../transports/webhook/signing-keys.ts'
import { showWebhooks } from '../transports/webhook/webhooks.ts'
import { findPost, readDeliveries } from './delivery-store.ts'

type Ctx = Readonly<{ db: Db; secretKey: Buffer; maxAttempts: number }>

/**
 * One reply with its attempts, and its next attempt as it would be sent now: receivers accept its signature for a few
 * minutes. Without an address there is no signature.
 */
export async function showDelivery(ctx: Ctx, receiver: Receiver, id: string): Promise<Sendable<DeliveryDetail>> {
  const [delivery] = isId('msg', id) ? await readDeliveries(ctx.db, receiver.accountId, [id]) : []
  if (!delivery) throw new Refusal('NOT_FOUND', 'There is no such delivery.')
  return { delivery: { ...delivery, maxAttempts: ctx.maxAttempts }, ...(await showPost(ctx, receiver, delivery.id)) }
}

/** The attempts of an event, and the next one. */
export async function showPost(
  ctx: Ctx,
  receiver: Receiver,
  id: MessageId | EventId,
): Promise<Sendable<Omit<DeliveryDetail, 'delivery'>>> {
  const { db } = ctx
  const { accountId } = receiver
  const post = await findPost(db, receiver, id)
  if (!post) throw new Refusal('NOT_FOUND', 'There is no such delivery.')
  const [attempts, webhooks] = await Promise.all([listAttempts(db, accountId, id), showWebhooks(ctx, accountId)])
  const webhook = webhooks.find(({ receiverId }) => receiverId === receiver.receiverId)
  const { payload, outgoingSeq, author } = post
  const keys = webhook?.secrets.map(signingKey) ?? []
  const next = { id, payload, outgoingSeq, author, keys, attempt: post.attempts + 1 }
  const headers = Object.entries(headersOf(next, Date.now()))
  return {
    attempts: attempts.map(({ n, at, url, durationMs, category, httpStatus, detail }) => ({
      n,
      at,
      url,
      durationMs,
      fault: category === null ? null : { category, httpStatus, detail },
    })),
    payload,
    headers: headers.filter(([, value]) => value !== '').map(([name, value]) => ({ name, value })),
    url: webhook?.url ?? null,
  }
}
