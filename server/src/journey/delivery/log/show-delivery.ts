import type { ChannelDelivery } from '@patchbay/contract/app/channels.ts'
import type { Attempt, DeliveryDetail } from '@patchbay/contract/app/webhook.ts'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import type { Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type EventId, isId, type MessageId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { loadKind } from '../../channels/load-kind.ts'
import type { ChannelRow } from '../../channels/store.ts'
import { type LoggedAttempt, listAttempts } from '../../messages/attempt-log.ts'
import { headersOf } from '../transports/webhook/post.ts'
import { signingKey } from '../transports/webhook/signing-keys.ts'
import { showWebhooks } from '../transports/webhook/webhooks.ts'
import { findPost, readDeliveries } from './delivery-store.ts'
import { listParts } from './part-store.ts'

type Ctx = Readonly<{ db: Db; secretKey: Buffer; maxAttempts: number }>

/**
 * One reply with its attempts, and its next attempt as it would be sent now: receivers accept its signature for a few
 * minutes. Without an address there is no signature.
 */
export async function showDelivery(ctx: Ctx, receiver: Receiver, id: string): Promise<Sendable<DeliveryDetail>> {
  const delivery = await requireDelivery(ctx, receiver, id)
  return { delivery, ...(await showPost(ctx, receiver, delivery.id)) }
}

async function requireDelivery({ db, maxAttempts }: Pick<Ctx, 'db' | 'maxAttempts'>, receiver: Receiver, id: string) {
  const [delivery] = isId('msg', id) ? await readDeliveries(db, receiver, [id]) : []
  if (!delivery) throw new Refusal('NOT_FOUND', 'There is no such delivery.')
  return { ...delivery, maxAttempts }
}

/** One message over a channel, with its attempts. What was sent is its text: there is no post that others could make. */
export async function showChannelDelivery(
  ctx: Pick<Ctx, 'db' | 'maxAttempts'>,
  channel: Pick<ChannelRow, 'accountId' | 'id' | 'kind'>,
  id: string,
): Promise<Sendable<ChannelDelivery>> {
  const { accountId } = channel
  const receiver = { accountId, receiverId: channel.id }
  const { receipts: tells } = await loadKind(channel.kind)
  const delivery = await requireDelivery(ctx, receiver, id)
  const [attempts, parts] = await Promise.all([
    listAttempts(ctx.db, accountId, delivery.id),
    listParts(ctx.db, accountId, delivery.id),
  ])
  return { delivery, tells, attempts: attempts.map(shownAttempt), parts }
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
    attempts: attempts.map(shownAttempt),
    payload,
    headers: headers.filter(([, value]) => value !== '').map(([name, value]) => ({ name, value })),
    url: webhook?.url ?? null,
  }
}

function shownAttempt({ category, httpStatus, detail, ...attempt }: LoggedAttempt): Sendable<Attempt> {
  return { ...attempt, fault: category === null ? null : { category, httpStatus, detail } }
}
