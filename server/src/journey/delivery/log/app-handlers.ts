import type { Handlers } from '../../../business/sessions/handlers.ts'
import type { Session } from '../../../business/sessions/session-store.ts'
import type { Dispatcher } from '../../../outbox/dispatcher.ts'
import { messageWebhook, type Receiver } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { longestDays, resendFailed, resendOne } from '../resend/resend.ts'
import { listDeliveries } from './list-deliveries.ts'
import { countInTrouble } from './log-store.ts'
import { showDelivery } from './show-delivery.ts'

export type LogCtx = Readonly<{
  db: Db
  secretKey: Buffer
  dispatcher: Pick<Dispatcher, 'wake'>
  /** How often a reply is tried by itself. */
  maxAttempts: number
}>
type Routes = Extract<keyof Handlers, `${string} /api/deliveries${string}`>

/** The log of an account's replies on their way to its receiver. */
export function deliveryLogHandlers(ctx: LogCtx): Pick<Handlers, Routes> {
  const { db, dispatcher, maxAttempts } = ctx
  return {
    'GET /api/deliveries': ({ session, query }) =>
      listDeliveries(db, { receiver: receiverOf(session), maxAttempts }, query),
    'GET /api/deliveries/counts': ({ session }) => countInTrouble(db, receiverOf(session)),
    'GET /api/deliveries/:id': ({ session, params }) => showDelivery(ctx, receiverOf(session), params.id),
    'POST /api/deliveries/:id/resend': async ({ session, params }) => {
      const receiver = receiverOf(session)
      if (!isId('msg', params.id)) throw new Refusal('NOT_FOUND', `There is no outgoing message ${params.id}.`)
      await resendOne(db, session.accountId, params.id)
      dispatcher.wake(receiver)
      return showDelivery(ctx, receiver, params.id)
    },
    'POST /api/deliveries/resend': async ({ session, body }) => {
      const receiver = receiverOf(session)
      if (Date.parse(body.since) < Date.now() - longestDays * 86_400_000) {
        throw new Refusal('INVALID_REQUEST', `\`since\` must be within the last ${longestDays} days.`)
      }
      const resent = await resendFailed(db, session.accountId, body.since, receiver.receiverId)
      dispatcher.wake(receiver)
      return { resent }
    },
  }
}

function receiverOf({ accountId }: Session): Receiver {
  return { accountId, receiverId: messageWebhook }
}
