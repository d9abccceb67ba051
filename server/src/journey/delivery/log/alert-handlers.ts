import type { AlertDelivery, AlertDeliveryDetail } from '@patchbay/contract/app/alerts.ts'
import type { Handlers, Sendable } from '../../../business/sessions/handlers.ts'
import type { Session } from '../../../business/sessions/session-store.ts'
import { alertWebhook, type Receiver } from '../../../outbox/receivers.ts'
import { isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { resendOne } from '../resend/resend.ts'
import type { LogCtx } from './app-handlers.ts'
import { pageOfEvents } from './event-page.ts'
import { type EventRow, listEvents } from './event-store.ts'
import { showPost } from './show-delivery.ts'

type Routes = Extract<keyof Handlers, `${string} /api/alerts/deliveries${string}`>

/** The log of an account's alerts. */
export function alertLogHandlers(ctx: LogCtx): Pick<Handlers, Routes> {
  const { db, dispatcher, maxAttempts } = ctx
  return {
    'GET /api/alerts/deliveries': async ({ session, query }) => {
      const { rows, next } = await pageOfEvents(db, receiverOf(session), query)
      return { deliveries: rows.map((row) => shown(row, maxAttempts)), next }
    },
    'GET /api/alerts/deliveries/:id': ({ session, params }) => show(ctx, receiverOf(session), params.id),
    'POST /api/alerts/deliveries/:id/resend': async ({ session, params }) => {
      const receiver = receiverOf(session)
      await show(ctx, receiver, params.id)
      await resendOne(db, session.accountId, params.id)
      dispatcher.wake(receiver)
      return show(ctx, receiver, params.id)
    },
  }
}

const receiverOf = ({ accountId }: Session): Receiver => ({ accountId, receiverId: alertWebhook })

async function show(ctx: LogCtx, receiver: Receiver, id: string): Promise<Sendable<AlertDeliveryDetail>> {
  const [row] = isId('evt', id) ? await listEvents(ctx.db, receiver, { id, limit: 1 }) : []
  if (!row) throw new Refusal('NOT_FOUND', `There is no alert ${id}.`)
  return { delivery: shown(row, ctx.maxAttempts), ...(await showPost(ctx, receiver, row.id)) }
}

/** Every alert has a text. When it was made is in its id: some tools take nothing but the text. */
function shown({ payload, ...row }: EventRow, maxAttempts: number): Sendable<AlertDelivery> {
  const { text } = JSON.parse(payload) as { text: string } // as `alertBody` wrote it
  const createdAt = new Date(Number.parseInt(row.id.slice('evt_'.length, 'evt_'.length + 12), 16))
  return { ...row, text, createdAt, maxAttempts }
}
