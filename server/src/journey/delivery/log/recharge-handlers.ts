import type { RechargeEvent } from '@patchbay/contract/api/credits.ts'
import type { RechargeDelivery, RechargeDeliveryDetail } from '@patchbay/contract/app/recharge-webhook.ts'
import type { Handlers, Sendable } from '../../../business/sessions/handlers.ts'
import type { Session } from '../../../business/sessions/session-store.ts'
import { type Receiver, rechargeWebhook } from '../../../outbox/receivers.ts'
import { isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { resendOne } from '../resend/resend.ts'
import type { LogCtx } from './app-handlers.ts'
import { pageOfEvents } from './event-page.ts'
import { type EventRow, listEvents } from './event-store.ts'
import { showPost } from './show-delivery.ts'

type Routes = Extract<keyof Handlers, `${string} /api/agency/deliveries${string}`>

/** The log of an agency's recharge requests on their way to its server. */
export function rechargeLogHandlers(ctx: LogCtx): Pick<Handlers, Routes> {
  const { db, dispatcher, maxAttempts } = ctx
  return {
    'GET /api/agency/deliveries': async ({ session, query }) => {
      const { rows, next } = await pageOfEvents(db, receiverOf(session), query)
      return { deliveries: rows.map((row) => shown(row, maxAttempts)), next }
    },
    'GET /api/agency/deliveries/:id': ({ session, params }) => show(ctx, receiverOf(session), params.id),
    'POST /api/agency/deliveries/:id/resend': async ({ session, params }) => {
      const receiver = receiverOf(session)
      await show(ctx, receiver, params.id)
      await resendOne(db, session.accountId, params.id)
      dispatcher.wake(receiver)
      return show(ctx, receiver, params.id)
    },
  }
}

const receiverOf = ({ accountId }: Session): Receiver => ({ accountId, receiverId: rechargeWebhook })

async function show(ctx: LogCtx, receiver: Receiver, id: string): Promise<Sendable<RechargeDeliveryDetail>> {
  const [row] = isId('evt', id) ? await listEvents(ctx.db, receiver, { id, limit: 1 }) : []
  if (!row) throw new Refusal('NOT_FOUND', `There is no recharge request ${id}.`)
  return { delivery: shown(row, ctx.maxAttempts), ...(await showPost(ctx, receiver, row.id)) }
}

function shown({ payload, ...row }: EventRow, maxAttempts: number): Sendable<RechargeDelivery> {
  const {
    sub_account_id: accountId,
    email,
    balance,
    amount,
    created_at: createdAt,
  } = JSON.parse(payload) as RechargeEvent // as the ledger wrote it
  return { ...row, accountId, email, balance, amount, createdAt, maxAttempts }
}
