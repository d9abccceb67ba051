import type { RechargeDelivery, RechargeDeliveryDetail } from '@patchbay/contract/app/recharge-webhook.ts'
import type { RechargeEvent } from '@patchbay/contract/credits.ts'
import type { Handlers, Sendable } from '../../app-api/handlers.ts'
import type { Session } from '../../app-api/session-store.ts'
import type { Receiver } from '../../outbox/receiver.ts'
import { isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { resendOne } from '../resend/resend.ts'
import type { LogCtx } from './app-handlers.ts'
import { listRechargeDeliveries, type RechargeRow } from './recharge-store.ts'
import { showPost } from './show-delivery.ts'

type Routes = Extract<keyof Handlers, `${string} /api/agency/deliveries${string}`>
const usualLimit = 50
const statusOf = { all: undefined, failed: 'Failed', waiting: 'Waiting', sent: 'Sent' } as const

/** The log of an agency's recharge requests on their way to its server. */
export function rechargeLogHandlers(ctx: LogCtx): Pick<Handlers, Routes> {
  const { db, dispatcher, maxAttempts } = ctx
  return {
    'GET /api/agency/deliveries': async ({ session, query: { filter = 'all', before, limit: given } }) => {
      if (before !== undefined && !isId('evt', before)) {
        throw new Refusal('INVALID_REQUEST', 'before must be the next of a page.')
      }
      const limit = Number(given ?? usualLimit)
      const wanted = { status: statusOf[filter], before, limit: limit + 1 }
      const rows = await listRechargeDeliveries(db, session.accountId, wanted)
      const page = rows.slice(0, limit)
      const next = rows.length > limit ? (page.at(-1)?.id ?? null) : null
      return { deliveries: page.map((row) => shown(row, maxAttempts)), next }
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

const receiverOf = ({ accountId }: Session): Receiver => ({ accountId, kind: 'recharge' })

async function show(ctx: LogCtx, receiver: Receiver, id: string): Promise<Sendable<RechargeDeliveryDetail>> {
  const [row] = isId('evt', id) ? await listRechargeDeliveries(ctx.db, receiver.accountId, { id, limit: 1 }) : []
  if (!row) throw new Refusal('NOT_FOUND', `There is no recharge request ${id}.`)
  return { delivery: shown(row, ctx.maxAttempts), ...(await showPost(ctx, receiver, row.id)) }
}

function shown({ payload, ...row }: RechargeRow, maxAttempts: number): Sendable<RechargeDelivery> {
  const {
    sub_account_id: accountId,
    email,
    balance,
    amount,
    created_at: createdAt,
  } = JSON.parse(payload) as RechargeEvent // as the ledger wrote it
  return { ...row, ...{ accountId, email, balance, amount, createdAt, maxAttempts } }
}
